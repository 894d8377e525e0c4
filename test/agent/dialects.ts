import type { ScriptedReply } from "../../src/testing/index.js";

/** How a model writes the same thing in each protocol, so that one list of behaviours serves them all. */
export interface Dialect {
  readonly protocol: "react";
  act(tool: string, input: string | Record<string, unknown>, thought?: string): ScriptedReply;
  answer(text: string): ScriptedReply;
  readonly unreadable: ScriptedReply;
}

function inputText(input: string | Record<string, unknown>): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

export const dialects: readonly Dialect[] = [
  {
    protocol: "react",
    act: (tool, input, thought = "I need a tool") => ` ${thought}\nAction: ${tool}\nAction Input: ${inputText(input)}`,
    answer: (text) => ` I now know the final answer\nFinal Answer: ${text}`,
    unreadable: "Thought: I should think about what to do next\nAction:",
  },
];
