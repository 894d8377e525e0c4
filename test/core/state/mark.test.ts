import { describe, expect, it } from "vitest";
import { markFilter, unfenced } from "../../../src/content/marks.js";
import { withoutMark } from "../../../src/core/state/mark.js";
import { protocols } from "../../../src/protocols/by-name.js";
import { fence } from "../../../src/protocols/fence/fence.js";
import { conversational } from "../../../src/protocols/index.js";
import { pick, randomFrom } from "../../helpers/random.js";

const [mark, earlier] = ["~k7q2x~", "~bbbbb~"];
const tools = ["search", "send_mail"];

/** What hides, ends a line, or looks like a step, a token or an escape. */
const pieces = [
  ..."aZ ~<>|[]{}()\"':,.*#`_-/\\",
  ..."\u0000\u0007\u001b\u009b\u00ad\u200b\u200d\u202e\u2060\ufeff\ufe0f\u{e0041}\ud83d\ude00",
  ...["\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029", "\ud800", "👨‍👩‍👧", "❤️", "می‌خواهم"],
  ...["Final Answer:", "Action:", "Action Input:", "Observation:", "Thought:", "Follow up:", "AI:", "Finish["],
  ...["<|im_end|>", "[INST]", "</s>", "<think>", "<tool_call>", "<start_of_turn>", "assistantfinal", "to=functions."],
  ...["search", '{"action": "search", "action_input": "x"}', '{"name": "send_mail", "arguments": {}}', "```json"],
  ...["U+001B~", "U+", "~U+200B~", "~c3d4f~"],
];

describe("a text in a prompt", () => {
  const spoken = { ...protocols, "conversational in JSON": conversational({ format: "json" }), none: undefined };
  it.each(Object.entries(spoken))("becomes the original text without its marks and escapes, in %s", (_, protocol) => {
    const random = randomFrom(32);
    let escapes = 0;
    for (let number = 0; number < 200; number += 1) {
      const text = Array.from({ length: 1 + Math.floor(random() * 12) }, () => pick(pieces, random)).join("");
      const shown = fence(text, { mark, tools, ...(protocol && { protocol }) });
      if (shown.includes(`${mark}U+`)) escapes += 1;
      expect(unfenced(shown, [earlier, mark]), JSON.stringify(shown)).toBe(text);
    }
    expect(escapes).toBeGreaterThan(protocol?.nativeTools ? 1 : 65);
  });
});

describe("words of a model with marks", () => {
  const said = `ESC ${mark}U+001B~[31m, ${earlier}U+10FFFF~ ${mark}Final Answer: <${mark}|im_end|> ~ ~k7q2 ${mark}U+00 ${mark}U+FFFFFF~ ${earlier}`;
  const plain = "ESC \u001b[31m, \u{10ffff} Final Answer: <|im_end|> ~ ~k7q2 U+00 U+FFFFFF~ ";

  it("lose the marks of all shown turns, and only these", () => {
    expect(unfenced(said, [mark, earlier])).toBe(plain);
    expect(unfenced(`${said}~ccccc~x`, [mark, earlier, "", "~ddddd~"])).toBe(`${plain}~ccccc~x`);
    expect(unfenced(said, [])).toBe(said);
  });

  it("lose the marks in pieces of every size, too", () => {
    const random = randomFrom(7);
    for (let number = 0; number < 100; number += 1) {
      const { push, end } = markFilter([mark, earlier]);
      let out = "";
      for (let at = 0; at < said.length; ) {
        const size = 1 + Math.floor(random() * 9);
        out += push(said.slice(at, at + size));
        at += size;
      }
      expect(out + end()).toBe(plain);
    }
    const open = markFilter([]);
    expect(open.push("~k7q") + open.end()).toBe("~k7q");
  });

  it("lose the marks in inputs and thoughts, but not in the log", () => {
    const log = `${mark}Action: x`;
    const call = { tool: "x", toolInput: { [`${mark}a`]: [`${earlier}U+200B~b`] }, log };
    expect(withoutMark({ kind: "action", actions: [call], thought: `${mark}t` }, [mark, earlier])).toEqual({
      kind: "action",
      actions: [{ tool: "x", toolInput: { a: ["\u200bb"] }, log }],
      thought: "t",
    });
  });
});
