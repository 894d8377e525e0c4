import { tool } from "@langchain/core/tools";

/** The task of every contestant: ten times a thought and a tool call, and then an answer. */
export const steps = 10;
export const question = "How many marbles are in the ten boxes?";
export const answer = "There are 55 marbles in the ten boxes.";

/** Makes the tool of every contestant. It takes a plain string, so that the text protocols can call it, too. */
export function countTool() {
  const description = "Counts the marbles in a box. Its input is the name of the box.";
  const count = tool((box) => `${box} holds the marbles that were put there, counted twice by two people who agreed.`, {
    name: "count",
    description,
  });
  return count;
}

const thoughts = Array.from({ length: steps }, (_, index) => ({
  thought: `I have the marbles of ${index} of the boxes, so I need those of the next one`,
  box: `box ${index + 1}`,
}));

/** The replies in the text of ReAct. */
export const textReplies = [
  ...thoughts.map(({ thought, box }) => ({ content: ` ${thought}\nAction: count\nAction Input: ${box}` })),
  { content: ` I now know the final answer\nFinal Answer: ${answer}` },
];

/** The same replies with native tool calls. */
export const nativeReplies = [
  ...thoughts.map(({ thought, box }, index) => ({
    content: thought,
    tool_calls: [{ type: "tool_call", id: `call_${index + 1}`, name: "count", args: { input: box } }],
  })),
  { content: answer },
];
