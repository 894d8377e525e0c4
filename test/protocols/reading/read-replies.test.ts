import { describe, expect, it } from "vitest";
import { parsedJson } from "../../../src/base/attempted.js";
import type { ParsedReply } from "../../../src/core/state/decision.js";
import { protocols } from "../../../src/protocols/by-name.js";
import { protocolNames } from "../../../src/protocols/index.js";
import { type LabelledReply, labelledReplies } from "../replies.js";

/** What matters of a decision: inputs that are JSON are compared as values. */
function essence(parsed: ParsedReply) {
  switch (parsed.kind) {
    case "action":
      return { kind: "action", tool: parsed.actions[0]?.tool, input: asValue(parsed.actions[0]?.toolInput) };
    case "finish":
      return { kind: "finish", output: parsed.output };
    case "unparseable":
      return { kind: "unparseable" };
  }
}

function expectedEssence({ expected }: LabelledReply) {
  if (expected.kind === "action") return { ...expected, input: asValue(expected.input) };
  return expected.kind === "finish" ? expected : { kind: "unparseable" };
}

function asValue(input: unknown): unknown {
  return typeof input === "string" && input.startsWith("{") ? (parsedJson(input) ?? input) : input;
}

describe.each(protocolNames.filter((name) => labelledReplies[name]))("the %s parser", (name) => {
  const replies = labelledReplies[name] ?? [];

  it("reads each labelled reply", () => {
    for (const reply of replies) {
      const parsed = protocols[name].parse(reply.text, reply.tools);
      expect([reply.id, essence(parsed)]).toEqual([reply.id, expectedEssence(reply)]);
    }
  });

  it("tells why it cannot read a reply, in a sentence about it", () => {
    const whys = replies
      .map((reply) => protocols[name].parse(reply.text, reply.tools))
      .flatMap((parsed) => (parsed.kind === "unparseable" ? [parsed.why] : []));
    expect(whys.length).toBeGreaterThan(0);
    for (const why of whys) expect(why).toMatch(/^(It|Its|The|One|A) .+\.$/);
  });
});
