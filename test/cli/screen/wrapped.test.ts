import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { main } from "../../../src/cli/main.js";
import { ScreenView } from "../../../src/cli/screen/screen-view.js";
import { unbroken, wrapped } from "../../../src/cli/screen/wrapped.js";
import { event } from "../../helpers/turn-events.js";
import { FakeOutput, fakeIo } from "../fake-io.js";

const narrowTerminal = () => new FakeOutput(true, 40);
const narrow = narrowTerminal();

describe("a note on a narrow terminal", () => {
  test.for<[what: string, note: string, shown: string]>([
    ["fits", "Forty columns are enough for this line..", "Forty columns are enough for this line.."],
    [
      "is one column too wide",
      "Forty columns are not enough for this one",
      "Forty columns are not enough for this\none",
    ],
    ["has wide characters", `${"世".repeat(15)} 世界人民 x`, `${"世".repeat(15)} 世界人民\nx`],
    ["has colours", `\u001b[2m${"a".repeat(30)}\u001b[22m b cc dddd`, `\u001b[2m${"a".repeat(30)}\u001b[22m b cc dddd`],
    ["has lines of its own", "One\ntwo\n", "One\ntwo\n"],
    ["has a word that is too wide", `See ${"w".repeat(50)} or not`, `See\n${"w".repeat(50)}\nor not`],
    ["begins with a wide word", `${"w".repeat(50)} it`, `${"w".repeat(50)}\nit`],
    [
      "has a command",
      `Go on: ${unbroken("glassloop chat --thread sums-and-more")}`,
      "Go on:\nglassloop chat --thread sums-and-more",
    ],
  ])("breaks between words, if it %s", ([, note, shown]) => expect(wrapped(note, narrow)).toBe(shown));

  test("is indented from its second line", () => {
    expect(wrapped(`${"a".repeat(39)} b ${"c".repeat(36)} d`, narrow, "  ")).toBe(
      `${"a".repeat(39)}\n  b ${"c".repeat(36)}\n  d`,
    );
  });

  test("is one line for a pipe", () => {
    const note = `${"word ".repeat(20)}${unbroken("glassloop chat")}`;
    expect(wrapped(note, new FakeOutput(false, 40))).toBe(`${"word ".repeat(20)}glassloop chat`);
  });

  test("is wrapped when it comes from a command", async () => {
    const stderr = narrowTerminal();
    const stdin = Readable.from([]);
    const io = { ...fakeIo({ stdin, terminal: true, env: { CI: "true", NO_COLOR: "1" } }), stderr };
    expect(await main(["ask", "--db", "memory:", "What is 2 + 2?"], io)).toBe(0);
    expect(stderr.text).toContain(
      "Offline rules answer here, not a\nlanguage model: they calculate and quote\ndocuments. Set OPENAI_API_KEY or give\n--model to use one.\n",
    );
  });

  test("is wrapped when it comes from a turn, and the model's words are unchanged", () => {
    const notes = narrowTerminal();
    const io = fakeIo({ env: { NO_COLOR: "1", CI: "1" } });
    const view = new ScreenView({ steps: notes, answer: notes }, io);
    view.show(event({ type: "thought", text: "I think that this could take a long time." }));
    view.show(
      event({ type: "retry", purpose: "reply", attempt: 2, why: "The model's server is busy.", milliseconds: 0 }),
    );
    expect(notes.text).toBe(
      "Thought: I think that this could take a long time.\nNote: second try in 0 s. The model's\n  server is busy.\n",
    );
  });
});
