import { describe, expect, it } from "vitest";
import { protocols } from "../../../src/protocols/by-name.js";
import { protocolNames } from "../../../src/protocols/index.js";
import { labelledReplies } from "../replies.js";

describe("the thought of a reply", () => {
  it.each([
    ["in English", "Thought: I look.\nAction: search\nAction Input: x"],
    ["after the prompt's own label", " I look.\nAction: search\nAction Input: x"],
    ["with a number", "Thought 2: I look.\nAction 2: search[x]"],
    ["in bold", "**Thought: I look.**\n**Action: search**\n**Action Input: x**"],
    ["in Chinese", "思考：I look.\n动作：search\n动作输入：x"],
    ["in Spanish", "Pensamiento: I look.\nAcción: search\nEntrada de la acción: x"],
    ["before JSON in a fence", 'I look.\n```json\n{"action": "search", "action_input": "x"}\n```'],
    ["before an array of calls", '[TOOL_CALLS] I look.\n[TOOL_CALLS] [{"name": "search", "arguments": {"q": "x"}}]'],
    ["before a tag", 'I look.\n<tool_call>\n{"name": "search", "arguments": {"q": "x"}}\n</tool_call>'],
    ["in a fence with the action", "```\nThought: I look.\nAction: search\nAction Input: x\n```"],
    ["above a reply that is turned round", "Thought: I look.\nAction Input: x\nAction: search"],
  ])("has no labels, fences and tags: %s", (_case, reply) => {
    expect(protocols.react.parse(reply, ["search"])).toMatchObject({
      kind: "action",
      thought: expect.stringMatching(/^(?:\[TOOL_CALLS\] )?I look\.$/),
    });
  });

  it("may be of several parts, and may hold code of its own", () => {
    const reply = "Thought: First.\nAction: None\nThought: Then ```x```\nAction: search\nAction Input: x";
    expect(protocols.react.parse(reply, ["search"])).toMatchObject({ thought: "First.\nThen ```x```" });
    const code = "Thought: I run\n```\nx\n```\nAction: search\nAction Input: x";
    expect(protocols.react.parse(code, ["search"])).toMatchObject({ thought: "I run\n```\nx\n```" });
  });

  it("is read before an answer, too, and is missing where there is none", () => {
    expect(protocols.react.parse("Thought: I know.\nFinal Answer: 5", [])).toEqual({
      kind: "finish",
      output: "5",
      thought: "I know.",
    });
    expect(protocols.react.parse("Final Answer: 5", [])).toEqual({ kind: "finish", output: "5" });
    expect(protocols["self-ask"].parse("No.\nSo the final answer is: 5", ["search"])).toMatchObject({ thought: "No." });
    expect(protocols["self-ask"].parse("Intermediate answer: K.\nFollow up: Where?", ["search"])).not.toHaveProperty(
      "thought",
    );
  });

  it("holds no label of an action or an answer, in any of the labelled replies", () => {
    const thoughts = protocolNames.flatMap((name) =>
      (labelledReplies[name] ?? []).flatMap(({ text, tools }) => {
        const parsed = protocols[name].parse(text, tools);
        return parsed.kind === "unparseable" || parsed.thought === undefined ? [] : [parsed.thought];
      }),
    );
    expect(thoughts.length).toBeGreaterThan(100);
    const labels =
      /^[\s*#>`-]*(?:thought|action|action input|final answer|思考|行动|动作|acción|aktion)\s*\d*\s*[*`]*[:：]/im;
    expect(thoughts.filter((thought) => labels.test(thought) || thought.trim() !== thought)).toEqual([]);
  });
});
