import { describe, expect, it } from "vitest";
import { screenName, screenText } from "../../../src/cli/screen/screen-text.js";

describe("a text for the screen", () => {
  it("has no control characters except line breaks and tabs, and none that change the text direction", () => {
    const hostile = "a\u001b[31mb\u0007\u009b31m\u0090x\u202eRTL\u2066y\u2069\tz\nnext\r\u0008";
    expect(screenText(hostile)).toBe("a[31mb31mxRTLy\tz\nnext");
  });

  it("has line breaks for the separators of Unicode", () => {
    expect(screenText("one\u2028two\u2029three")).toBe("one\ntwo\nthree");
  });

  it("keeps words in all scripts, with their combining marks", () => {
    const words = "العربية \u200fעברית 日本語 👩‍👩‍👧 naïve";
    expect(screenText(words)).toBe(words);
  });

  it("has a name on one line, without invisible characters", () => {
    expect(screenName("x\nfake-thread  2026\u2028row\u200b\u200f!")).toBe("x fake-thread 2026 row!");
  });
});
