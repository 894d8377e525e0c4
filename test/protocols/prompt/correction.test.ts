import { describe, expect, it } from "vitest";
import type { Reply } from "../../../src/core/state/decision.js";
import { protocols } from "../../../src/protocols/by-name.js";
import { fencedProtocol } from "../../../src/protocols/fenced-protocol.js";
import { protocolNames } from "../../../src/protocols/index.js";
import type { ToolSpec } from "../../../src/tool-inputs/tool-spec.js";

const tools: readonly ToolSpec[] = [
  { name: "search", description: "Searches." },
  { name: "Calculator", description: "Computes." },
];

function reply(text: string, finishReason = "stop"): Reply {
  return { text, toolCalls: [], invalidToolCalls: [], finishReason };
}

describe.each(protocolNames)("a correction in %s", (name) => {
  const protocol = protocols[name];
  const { correct } = fencedProtocol(protocol);
  const bad = reply("Thought: hm, let me think about the Calculator some more");
  const say = (attempt: number, unreadable = bad) =>
    correct({ why: "It has no action.", reply: unreadable, tools, attempt });

  it("says what was wrong and quotes the reply, but not all of a long reply", () => {
    expect(say(1)).toContain("It has no action.");
    expect(say(1)).toContain("hm, let me think about the Calculator some more");
    expect(say(1, reply(`x${" very long".repeat(5000)}`)).length).toBeLessThan(2000);
  });

  it("names the tools and shows one correct reply, with the tool that the reply mentions", () => {
    expect(say(1)).toContain("search");
    if (!protocol.exampleReply) return;
    const [calculator] = tools.slice(1);
    expect(say(1)).toContain(protocol.exampleReply(calculator ? [calculator] : []));
  });

  it("has other words each time", () => {
    const attempts = [1, 2, 3, 4, 5].map((attempt) => say(attempt));
    expect(new Set(attempts).size).toBe(attempts.length);
  });

  it("shows the form a second time, and then asks for the best possible answer", () => {
    expect(say(2)).toContain("search");
    expect(say(2)).not.toContain("best answer");
    expect(say(3)).toContain("best answer");
  });

  it("asks for a shorter reply when the last one was cut off, with other words each time", () => {
    const cut = [1, 2, 3].map((attempt) => say(attempt, reply("Thought: and so", "length")));
    expect(cut[0]).toContain("shorter");
    expect(new Set([...cut, say(1)]).size).toBe(4);
  });

  it("is not taken for a reply when the model repeats it", () => {
    for (const attempt of [1, 2, 3]) {
      expect(protocol.parse(say(attempt), tools).kind).toBe("unparseable");
      expect(protocol.parse(`${say(attempt)}\n`, tools).kind).toBe("unparseable");
    }
  });

  it("may be repeated before a good reply", () => {
    const answer = protocol.exampleAnswer ?? "";
    expect(protocol.parse(`${say(1)}\n${answer}`, tools)).toEqual(protocol.parse(`\n${answer}`, tools));
    expect(protocol.parse(answer, tools).kind).toBe("finish");
  });

  it("makes sense without tools", () => {
    const text = correct({ why: "It is empty.", reply: reply(""), tools: [], attempt: 1 });
    expect(text).toContain("It is empty.");
    expect(text).toContain(protocol.exampleAnswer);
    expect(text).not.toMatch(/\(\)|undefined/);
  });
});
