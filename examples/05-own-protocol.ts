// Own protocol: how the agent and the model talk is two functions, one that writes the prompt and one that reads a reply.
import { HumanMessage } from "@langchain/core/messages";
import { calculator, createAgent, type Protocol } from "glassloop";
import { scriptedModel, transcript } from "glassloop/testing";

const shell: Protocol = {
  name: "shell",
  stop: ["\n>"],
  render({ question, tools, intermediateSteps }) {
    const commands = tools.map(({ name, description }) => `# ${name}: ${description}`);
    const steps = intermediateSteps.flatMap(({ reply, results }) => [
      `$ ${reply.text.trim()}`,
      ...results.map(({ observation }) => `> ${observation}`),
    ]);
    const text = [...commands, '# To answer, write "echo" and the answer.', `# ${question}`, ...steps, "$"].join("\n");
    return [new HumanMessage(text)];
  },
  parse(reply, tools) {
    const text = (typeof reply === "string" ? reply : reply.text).trim();
    const [, command = "", rest = ""] = /^(\S+) (.+)$/s.exec(text) ?? [];
    if (command === "echo") return { kind: "finish", output: rest };
    const tool = tools.find((tool) => (typeof tool === "string" ? tool : tool.name) === command);
    if (tool === undefined) return { kind: "unparseable", why: `"${text}" begins with no command.` };
    return { kind: "action", actions: [{ tool: command, toolInput: rest, log: text }] };
  },
};

const model = scriptedModel(["calculator 15% of 240", "echo 15% of 240 is 36."]); // in place of a real one
const agent = createAgent({ model, protocol: shell, tools: [calculator()] });
console.log(transcript(await agent.invoke({ messages: "What is 15% of 240?" })));
console.log(`\nThe model was shown:\n${model.calls.at(-1)?.prompt}`);
