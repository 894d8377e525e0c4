import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { ParsedReply } from "../../src/core/state/decision.js";
import { protocols } from "../../src/protocols/by-name.js";
import { protocolNames } from "../../src/protocols/index.js";
import { randomFrom } from "../helpers/random.js";
import { isFull } from "../matrix/matrix.js";
import { hostileText } from "./hostile-texts.js";
import { labelledReplies } from "./replies.js";

const mixtures = isFull ? 2_000 : 500;
const tools = ["web_search", "send_mail", "Get Issues"];

/** The tools that a decision names although nobody offered them and the reply does not say so. */
function inventedTools(text: string, offered: readonly string[], parsed: ParsedReply): string[] {
  const named = parsed.kind === "action" ? parsed.actions.map((action) => action.tool) : [];
  return named.filter((tool) => !offered.includes(tool) && !text.includes(tool));
}

function isWellFormed(parsed: ParsedReply): boolean {
  switch (parsed.kind) {
    case "action":
      return parsed.actions.length > 0 && parsed.actions.every((action) => action.tool !== "");
    case "finish":
      return parsed.output.trim() !== "";
    case "unparseable":
      return parsed.why !== "";
  }
}

describe.each(protocolNames)("the %s parser", (name) => {
  const { parse } = protocols[name];

  it(`parses ${mixtures} mixtures without throwing, invents no tool, and returns the same result twice`, () => {
    const random = randomFrom(20_000);
    const kinds = new Set<string>();
    for (let n = 0; n < mixtures; n += 1) {
      const text = hostileText(random);
      const parsed = parse(text, tools);
      if (inventedTools(text, tools, parsed).length > 0 || !isWellFormed(parsed))
        expect({ text, parsed }).toBeUndefined();
      if (!isDeepStrictEqual(parse(text, tools), parsed)) expect({ text, parsed }).toBeUndefined();
      kinds.add(parsed.kind);
    }
    expect(kinds).toEqual(new Set(["action", "finish", "unparseable"]));
  });

  it("parses the beginnings of a reply without throwing", () => {
    const replies = labelledReplies[name] ?? labelledReplies["structured-chat"] ?? [];
    expect(replies.length).toBeGreaterThan(20);
    for (const { text, tools: offered } of replies) {
      for (let length = 0; length <= text.length; length += isFull ? 1 : 3) {
        const beginning = text.slice(0, length);
        const parsed = parse(beginning, offered);
        if (inventedTools(beginning, offered, parsed).length > 0 || !isWellFormed(parsed)) {
          expect({ beginning, parsed }).toBeUndefined();
        }
      }
    }
  });
});
