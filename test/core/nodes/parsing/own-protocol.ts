import { HumanMessage } from "@langchain/core/messages";
import type { Protocol } from "../../../../src/index.js";

/**
 * A protocol in which each line `call NAME INPUT` is a call, a line `maybe ANSWER` is an answer if it is repeated, and a line
 * `unreadable` cannot be read.
 */
export const ownProtocol: Protocol = {
  name: "own",
  render: ({ question, intermediateSteps }) => {
    const steps = intermediateSteps.flatMap(({ reply, decision, results }) => [
      reply.text,
      ...(decision.kind === "unparseable" ? [decision.correction] : results.map(({ observation }) => observation)),
    ]);
    return [new HumanMessage([question, ...steps].join("\n"))];
  },
  parse: (reply) => {
    const text = (typeof reply === "string" ? reply : reply.text).trim();
    const calls = [...text.matchAll(/^call (\w+) (.*)$/gm)];
    const actions = calls.map(([log, tool = "", toolInput = ""]) => {
      return { tool, toolInput, log, written: `${tool} ${toolInput}` };
    });
    if (actions.length > 0) return { kind: "action", actions };
    const [, ifRepeated] = /^maybe (.*)$/m.exec(text) ?? [];
    if (ifRepeated !== undefined) return { kind: "unparseable", why: "It may be an answer.", ifRepeated };
    return /^unreadable/m.test(text)
      ? { kind: "unparseable", why: "It cannot be read." }
      : { kind: "finish", output: text };
  },
  correct: ({ why }) => why,
};
