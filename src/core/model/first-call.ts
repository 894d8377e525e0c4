import type { AIMessageChunk } from "@langchain/core/messages";
import { SecretFilter } from "../../base/secrets/without-secrets.js";
import { piecesIn } from "../../provider-forms/call-pieces.js";
import type { WrittenCall } from "../parts/plugin.js";

/** Collects the first call of a reply from its chunks. */
export class FirstCall implements WrittenCall {
  name = "";
  args = "";
  readonly #secrets = new SecretFilter();
  #index: string | number | undefined;
  #isOver = false;

  push(chunk: AIMessageChunk): void {
    for (const { name, args, index } of piecesIn(chunk)) {
      this.#isOver ||= name !== "" && this.name !== "";
      if (this.name === "") {
        this.name = name;
        this.#index = index;
      }
      // LangChain takes the arguments of a server's own tools for calls without a name.
      if (!this.#isOver && this.name !== "" && index === this.#index) this.args += this.#secrets.push(args);
    }
  }
}
