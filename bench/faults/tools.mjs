// The tools of the bench. `append` has an effect that can be counted.
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { tool } from "@langchain/core/tools";
import { z } from "zod";

const schema = z.object({ turn: z.number(), line: z.string() });

/** @param {string} file The file that `append` writes to. */
export function makeTools(file, random) {
  const append = tool(
    async ({ turn, line }) => {
      await sleep(random() * 60);
      appendFileSync(file, `${turn} ${line}\n`);
      await sleep(random() * 60);
      return "appended";
    },
    { name: "append", description: "Appends a line.", schema, metadata: { effects: true } },
  );
  const look = tool(
    async () => {
      await sleep(random() * 20);
      return "seen";
    },
    { name: "look", description: "Looks.", schema },
  );
  return [append, look];
}
