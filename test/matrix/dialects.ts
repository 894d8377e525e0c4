import { type ProtocolName, protocolNames } from "../../src/protocols/index.js";
import type { ScriptedReply } from "../../src/testing/index.js";

type Input = string | Record<string, unknown>;

/** How a model writes the same thing in each protocol, so that one list of behaviours serves them all. */
export interface Dialect {
  readonly protocol: ProtocolName;
  act(tool: string, input: Input, thought?: string): ScriptedReply;
  answer(text: string): ScriptedReply;
  readonly unreadable: ScriptedReply;
  /** The protocol has one tool, which every action is for. */
  readonly oneTool?: boolean;
}

function inputText(input: Input): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

function blob(action: string, input: Input): string {
  return `\`\`\`json\n${JSON.stringify({ action, action_input: input }, null, 2)}\n\`\`\``;
}

const byProtocol: Readonly<Record<ProtocolName, Omit<Dialect, "protocol">>> = {
  react: {
    act: (tool, input, thought = "I need a tool") => ` ${thought}\nAction: ${tool}\nAction Input: ${inputText(input)}`,
    answer: (text) => ` I now know the final answer\nFinal Answer: ${text}`,
    unreadable: "Thought: I should think about what to do next\nAction:",
  },
  "structured-chat": {
    act: (tool, input, thought = "I need a tool") => `${thought}\nAction:\n${blob(tool, input)}`,
    answer: (text) => `I know what to respond\nAction:\n${blob("Final Answer", text)}`,
    unreadable: "Thought: I should think about what to do next\nAction:",
  },
  conversational: {
    act: (tool, input, thought = "Do I need to use a tool? Yes") =>
      `${thought}\nAction: ${tool}\nAction Input: ${inputText(input)}`,
    answer: (text) => `Do I need to use a tool? No\nAI: ${text}`,
    unreadable: "Thought: Do I need to use a tool? Yes\nAction:",
  },
  "self-ask": {
    oneTool: true,
    act: (tool, input, thought = "Yes.") =>
      tool === "missing"
        ? `${thought}\nAction: ${tool}\nAction Input: ${inputText(input)}`
        : `${thought}\nFollow up: ${inputText(input)}`,
    answer: (text) => `So the final answer is: ${text}`,
    unreadable: "Yes.\nFollow up:",
  },
  "tool-calling": {
    act: (tool, input, thought = "I need a tool") => ({
      content: thought,
      tool_calls: [{ name: tool, args: typeof input === "string" ? { input } : input, id: "native" }],
    }),
    answer: (text) => text,
    unreadable: { invalid_tool_calls: [{ name: "echo", args: '{"text": ', error: "not JSON" }] },
  },
};

export const dialects: readonly Dialect[] = protocolNames.map((protocol) => ({ protocol, ...byProtocol[protocol] }));

/** Returns the way in which a model writes a protocol. */
export function dialect(name: ProtocolName): Dialect {
  const found = dialects.find(({ protocol }) => protocol === name);
  if (found === undefined) throw new Error(`No model speaks ${name} here.`);
  return found;
}

/** The two ways in which a reply is read: from its text, and from native tool calls. */
export const [inReact, inToolCalls] = [dialect("react"), dialect("tool-calling")];
