import { describe, expect, it } from "vitest";
import { readable, seenJson, unseenIn, withSeenSigns } from "../../src/base/unseen-signs.js";

const isHidden = /[^\P{Cc}\t\n]|\p{Cs}|\p{Default_Ignorable_Code_Point}/u;
/** All signs of Unicode that nobody sees. */
const hidden = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point)).filter((sign) =>
  isHidden.test(sign),
);
const mail = "See you at 8 👋";
const secret = [..."password=hunter2"].map((letter) => String.fromCodePoint(0xe0100 + letter.charCodeAt(0) - 16));

describe("invisible characters", () => {
  it("are shown by their numbers, all of them, and can be read back from JSON", () => {
    expect(hidden.length).toBeGreaterThan(6000);
    const numbers = hidden.map((sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
    const all = hidden.join("a");
    expect(withSeenSigns(`a${all}a`)).toBe(`a${numbers.join("a")}a`);
    expect(seenJson({ [all]: all })).not.toMatch(isHidden);
    expect(JSON.parse(seenJson({ [all]: all }))).toEqual({ [all]: all });
  });

  it.each([
    ["variation selectors", secret.join("")],
    ["fillers and joiners of scripts", "\u034f\u034f\u3164\u115f\u1160\uffa0\u180b\u180c\u180e"],
    ["DEL and C1", "\u007f\u009b\u0085"],
    ["tags", "\u{e0041}\u{e0042}"],
    ["turns of direction", "\u202e\u2066"],
    ["separators that look like lines", "\u2028\u2029\v\f"],
  ])("do not hide behind an emoji: %s", (_name, payload) => {
    const signs = [...payload];
    expect(withSeenSigns(mail + payload)).toBe(mail + signs.map(withSeenSigns).join(""));
    expect(readable(mail + payload)).toBe(withSeenSigns(mail + payload));
    expect(unseenIn(mail + payload)).toHaveLength(signs.length);
  });

  it("stay in words and emojis that need one, but not two in a row, and not where a person decides", () => {
    const words = "❤️‍🔥 2️⃣ 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 می‌خواهم क्‍ष 葛󠄀 ᠠ᠋\r\n\tnaïve";
    expect([readable(words), unseenIn(words)]).toEqual([words, []]);
    expect(unseenIn("❤\ufe0f\ufe0f 2\ufe01")).toEqual(["U+FE0F", "U+FE01"]);
    expect(withSeenSigns("❤️")).toBe("❤\\u{fe0f}");
  });
});
