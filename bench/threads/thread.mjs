import { tool } from "@langchain/core/tools";
import { z } from "zod";

/** The thread that both sides write. A turn has three tool steps, each with an observation of 1 KB. */
export const stepsOfTurn = 3;
export const observationBytes = 1024;
export const questionOf = (turn) => `What do the archives say of case ${turn}?`;

const letters = "abcdefghijklmnopqrstuvwxyz ";
let calls = 0;

/** Makes a text that no two calls share, so that a store cannot keep one for all. */
function observation() {
  calls += 1;
  let text = `Entry ${calls}: `;
  for (let seed = calls; text.length < observationBytes; seed = (seed * 48_271) % 2_147_483_647) {
    text += letters[seed % letters.length];
  }
  return text;
}

/** Makes the tool of both sides. */
export function archive() {
  return tool(observation, {
    name: "archive",
    description: "Looks a case up in the archive.",
    schema: z.object({ case: z.string(), page: z.number() }),
  });
}

/** Returns the replies of a turn on both sides: three native tool calls, one after the other, and then the answer. */
export function repliesOf(turn) {
  const lookUps = Array.from({ length: stepsOfTurn }, (_, index) => ({
    content: `I look at page ${index + 1}`,
    tool_calls: [
      { type: "tool_call", id: `${turn}-${index + 1}`, name: "archive", args: { case: `${turn}`, page: index + 1 } },
    ],
  }));
  return [...lookUps, { content: `The archives say a lot of case ${turn}.` }];
}
