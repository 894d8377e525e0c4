import { describe, expect, it } from "vitest";
import type { Protocol } from "../../../src/core/parts/protocol.js";
import { fencedProtocol } from "../../../src/protocols/fenced-protocol.js";
import { react, structuredChat, toolCalling } from "../../../src/protocols/index.js";
import { randomFrom } from "../../helpers/random.js";
import { brokenPromises, drawReply, splitProtocols } from "./read-replies.js";

/** What goes out after each chunk of a reply: words as they are, and the answer in brackets. */
function sent(protocol: Protocol, chunks: readonly string[]): string[] {
  const reader = fencedProtocol(protocol).reader([{ name: "search", description: "" }]);
  return chunks.map((_, n) =>
    reader
      .push(chunks.slice(0, n + 1).join(""))
      .pieces.map(({ kind, text }) => (kind === "answer" ? `[${text}]` : text))
      .join(" "),
  );
}

describe.each(splitProtocols)("replies in $name", ({ protocol, replies }) => {
  it("are emitted as the parser reads them, however they are cut", () => {
    const random = randomFrom(3);
    const problems = replies.flatMap((reply) =>
      brokenPromises(protocol, reply, 1, random).map((why) => [why, reply.text]),
    );
    expect(problems).toEqual([]);
  });

  it("with inserted lines are emitted as the parser reads them, however they are cut", () => {
    const random = randomFrom(5);
    for (let n = 0; n < 40; n += 1) {
      const reply = drawReply(random);
      expect([brokenPromises(protocol, reply, 1, random), reply.text]).toEqual([[], reply.text]);
    }
  });
});

describe("an answer", () => {
  it("is emitted with each chunk, from the first", () => {
    expect(sent(react(), [" I know", "\nFinal", " Answer:", " It", " is", " four", "."])).toEqual([
      "",
      "I know",
      "",
      "[It]",
      "[ is]",
      "[ four]",
      "[.]",
    ]);
  });

  it("in JSON is emitted without its quotes and escapes", () => {
    const chunks = [
      'Action:\n```json\n{"action": "Final Answer", "action_input": "',
      "One",
      "\\",
      'n\\"',
      "Two\\u00",
      'e9"}\n```',
    ];
    expect(sent(structuredChat(), chunks)).toEqual(["", "[One]", "", "", '[\n"Two]', "[é]"]);
  });

  it("is held back while a line may be the next label", () => {
    expect(sent(react(), ["Final Answer: no", "\nAct", "s of", " peace", "\nAction", ": search"])).toEqual([
      "[no]",
      "",
      "[\nActs of]",
      "[ peace]",
      "",
      "",
    ]);
  });

  it("that follows an action is not emitted", () => {
    expect(sent(react(), ["I look\nAction: search\nAction Input: cats\n", "Final Answer: 5"])).toEqual(["I look", ""]);
  });

  it("that copies the prompt is not emitted", () => {
    expect(sent(react(), ["Final Answer: the final answer to", " the original input question"])).toEqual(["", ""]);
  });
});

describe("words", () => {
  it("of a reply with native calls are emitted as they come, without thinking", () => {
    expect(sent(toolCalling(), ["<think>hm", "m</think>\n\nThe", " answer", " is 4."])).toEqual([
      "",
      "The",
      " answer",
      " is 4.",
    ]);
  });

  it("stop before a call that the server did not recognise", () => {
    const chunks = ["I look it up.\n", '{"name": "sea', 'rch", "arguments": {}}'];
    expect(sent(toolCalling(), chunks)).toEqual(["I look it up.", "", ""]);
    expect(sent(toolCalling(), ["Let me see. <tool", "_call>\n{}"])).toEqual(["Let me see.", ""]);
  });

  it("are emitted with JSON and signs that are no tool call", () => {
    expect(sent(toolCalling(), ["It is <|", "f-7|>, a <b", "> so."])).toEqual(["It is", " <|f-7|>, a", " <b> so."]);
    expect(sent(toolCalling(), ['It is:\n{"a": [1, 2]', `, "b": "${"x".repeat(200)}"}`]).join("")).toContain(
      '{"a": [1, 2]',
    );
  });
});
