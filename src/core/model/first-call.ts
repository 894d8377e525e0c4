import type { AIMessageChunk } from "@langchain/core/messages";
import { secretFilter } from "../../base/secrets/without-secrets.js";
import type { WrittenCall } from "../parts/answers.js";

/** Collects the first call of a reply from its chunks. */
export class FirstCall implements WrittenCall {
  name = "";
  args = "";
  readonly #secrets = secretFilter();
  #index: number | undefined;
  #isOver = false;

  push({ tool_call_chunks = [] }: AIMessageChunk): void {
    for (const { name = "", args = "", index } of tool_call_chunks) {
      this.#index ??= index;
      this.#isOver ||= index !== this.#index || (name !== "" && this.name !== "");
      if (this.#isOver) return;
      this.name += name;
      this.args += this.#secrets.push(args);
    }
  }
}
