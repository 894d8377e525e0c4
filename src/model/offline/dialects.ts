/** The rules read and write the react prompt. A dialect is another text protocol, in the words of its prompt. */
interface Dialect {
  /** A part of its prompts, and of no other. */
  readonly sign: string;
  /** Returns a prompt in the words of the react prompt. */
  readonly toReact: (prompt: string) => string;
  /** Writes a call of a tool, or an answer. */
  readonly act: (thought: string, tool: string, input: string) => string;
  readonly finish: (thought: string, answer: string) => string;
}

const structuredChat: Dialect = {
  sign: "\nBegin! Always respond with a valid JSON blob",
  toReact: (prompt) =>
    prompt
      .replace("Write each action as a JSON blob", "Use the following format:")
      .replace(/^Begin! Always .*$/m, "Begin!")
      .replaceAll(
        /\nAction:\n```\n\{\n {2}"action": "(.*)",\n {2}"action_input": "(.*)"\n\}/g,
        (_, tool: string, input: string) => `\nAction: ${tool}\nAction Input: ${input.replaceAll(/\\(.)/g, "$1")}`,
      ),
  act: (thought, tool, input) => ` ${thought}\nAction:\n${blobOf(tool, input)}`,
  finish: (thought, answer) => ` ${thought}\nAction:\n${blobOf("Final Answer", answer)}`,
};

function blobOf(action: string, input: string): string {
  return `\`\`\`\n${JSON.stringify({ action, action_input: input }, null, 2)}\n\`\`\``;
}

const conversational: Dialect = {
  sign: "\nThought: Do I need to use a tool? No\nAI: ",
  toReact: (prompt) =>
    prompt
      .replace("\nTools:\n", "\nYou have the following tools:\n")
      .replace("\nTo use a tool, use the following format:", "\nUse the following format:"),
  act: (_thought, tool, input) => ` Do I need to use a tool? Yes\nAction: ${tool}\nAction Input: ${input}`,
  finish: (_thought, answer) => ` Do I need to use a tool? No\nAI: ${answer}`,
};

/** The prompt of self-ask names no tool. There is one, which searches. */
const selfAsk: Dialect = {
  sign: "\nAre follow up questions needed here:",
  toReact: (prompt) => {
    const question = prompt.lastIndexOf("\nQuestion: ");
    const asked = prompt
      .slice(question)
      .replace("\nAre follow up questions needed here:", "\nThought:")
      .replaceAll(
        /(?: Yes\.)?\nFollow up: (.*)\nIntermediate answer: /g,
        "\nThought:\nAction: search\nAction Input: $1\nObservation: ",
      );
    const tools = "You have the following tools:\nsearch: Answers questions.\nUse the following format:";
    const [, conversation = ""] = prompt.slice(0, question).split("\nThe conversation so far:");
    return `${tools}\nThe conversation so far:${conversation}\nBegin!\n${asked}`;
  },
  act: (_thought, _tool, input) => ` Yes.\nFollow up: ${input}`,
  finish: (_thought, answer) => ` No.\nSo the final answer is: ${answer}`,
};

/** A part of the react prompt, whose question or observations may quote other prompts. */
const reactSign = "\nQuestion: the input question you must answer\n";

const dialects = [structuredChat, conversational, selfAsk];

/** Replies to a prompt in its dialect. `reply` does so in the words of the react prompt. */
export function inDialect(prompt: string, reply: (prompt: string) => string): string {
  const dialect = prompt.includes(reactSign) ? undefined : dialects.find(({ sign }) => prompt.includes(sign));
  if (dialect === undefined) return reply(prompt);
  const said = reply(dialect.toReact(prompt));
  const [, thought = "", tool, input, answer] =
    /^ (.*)\n(?:Action: (.*)\nAction Input: (.*)|Final Answer: (.*))$/.exec(said) ?? [];
  if (answer !== undefined) return dialect.finish(thought, answer);
  return tool === undefined || input === undefined ? said : dialect.act(thought, tool, input);
}
