import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ScreenView } from "../../../src/cli/screen/screen-view.js";
import type { EventDetails } from "../../../src/index.js";
import { noUsage } from "../../../src/turn/usage.js";
import { event as whole } from "../../helpers/turn-events.js";
import { type FakeIo, fakeIo } from "../fake-io.js";

const answer = (text: string): EventDetails => ({ type: "answer", text, stopReason: "answered" });
const piece = (text: string): EventDetails => ({ type: "answer-delta", text });
const observation = (text: string, id = "1-1-1"): EventDetails => ({
  type: "observation",
  id,
  text,
  status: "success",
});
const action = (tool: string, id = "1-1-1"): EventDetails => ({ type: "action", id, tool, toolInput: "2+2" });

const turn: readonly EventDetails[] = [
  { type: "turn-start", asked: "And 2+2?", number: 2, resumed: false },
  { type: "question", asked: "And 2+2?", question: "What is 2+2?" },
  { type: "thought", text: "I need a calculator.\nAt once." },
  action("calculator"),
  observation("4"),
  piece("2 + 2"),
  piece(" is 4."),
  answer("2 + 2 is 4."),
  { type: "turn-end", stopReason: "answered", usage: noUsage, milliseconds: 5 },
];

/** Shows events with the steps and the answer on stdout. */
function show(io: FakeIo, events: readonly EventDetails[]): string {
  const view = new ScreenView({ steps: io.stdout, answer: io.stdout }, io);
  for (const event of events) view.show(whole(event));
  return io.stdout.text;
}

describe("a turn on the screen", () => {
  test("is shown step by step, the answer once although it came in pieces", () => {
    expect(stripVTControlCharacters(show(fakeIo({ terminal: "stdout" }), turn))).toBe(
      [
        "Question: What is 2+2?",
        "Thought: I need a calculator.",
        "  At once.",
        "Action: calculator",
        "Action Input: 2+2",
        "Observation: 4",
        "Answer: 2 + 2 is 4.",
        "",
      ].join("\n"),
    );
  });

  test("shows the pieces of the answer as they come", () => {
    const text = show(fakeIo({ terminal: "stdout" }), turn.slice(0, -3));
    expect(text.endsWith("2 + 2")).toBe(true);
  });

  test("shows the rest of an answer of which only a part came in pieces", () => {
    expect(show(fakeIo({ terminal: "stdout", env: { NO_COLOR: "1" } }), [piece("2 + 2"), answer("2 + 2 is 4.")])).toBe(
      "Answer: 2 + 2 is 4.\n",
    );
  });

  test("shows the whole answer where the pieces were not its beginning", () => {
    expect(show(fakeIo({ terminal: "stdout", env: { NO_COLOR: "1" } }), [piece("It is"), answer("4")])).toBe(
      "Answer: It is\nAnswer: 4\n",
    );
  });

  test("ends the line of an answer that broke off", () => {
    const events: EventDetails[] = [piece("2 + 2"), { type: "error", name: "ModelError", message: "gone" }];
    expect(show(fakeIo({ terminal: "stdout", env: { NO_COLOR: "1" } }), events)).toBe("Answer: 2 + 2\n");
  });

  test("gets the answer at once where stdout is a pipe, as nobody can take a part of it back there", () => {
    const io = fakeIo();
    expect(show(io, [piece("2 + 2")])).toBe("");
    expect(show(io, [piece("2 + 2"), answer("2 + 2 is 4.")])).toBe("Answer: 2 + 2 is 4.\n");
  });

  test("names the tools of observations when several are at work", () => {
    const events = [action("calculator", "1"), action("web_search", "2"), observation("4", "1"), observation("x", "2")];
    const text = show(fakeIo(), events);
    expect(text).toContain("Observation (calculator): 4\n");
    expect(text).toContain("Observation: x\n");
  });

  test("says why a turn stopped without an answer, and not on stdout where only answers belong", () => {
    const io = fakeIo();
    const view = new ScreenView({ steps: io.stderr, answer: io.stdout }, io);
    view.show(whole({ type: "answer", text: "I stopped after 15 steps.", stopReason: "step-limit" }));
    expect(io.stderr.text).toBe("Stopped: I stopped after 15 steps.\n");
    expect(io.stdout.text).toBe("");
  });

  test("has only the answer, without a label, when no steps are wanted", () => {
    const io = fakeIo({ terminal: true });
    const view = new ScreenView({ answer: io.stdout }, io);
    for (const event of turn) view.show(whole(event));
    expect(io.stdout.text).toBe("2 + 2 is 4.\n");
  });
});

describe("a question to a person on the screen", () => {
  const asked = (input: Record<string, unknown>, more: object = {}): EventDetails => ({
    type: "approval",
    interrupt: "1",
    complaints: ["The answer was empty."],
    requests: [
      {
        id: "a-1",
        tool: "pay",
        input,
        description: "Pays.",
        why: "It is Sunday.",
        allowed: ["approve"],
        digest: "1",
        ...more,
      },
    ],
  });

  test("is shown whole, with what was wrong with an answer", () => {
    const to = "Ann".repeat(500);
    expect(show(fakeIo(), [asked({ to }, { complaint: "Not so." })])).toBe(
      [
        "Not taken: The answer was empty.",
        `Waiting: pay {"to":"${to}"}`,
        "  Not taken: Not so.",
        "  Why: It is Sunday.",
        "  Possible: approve",
        "  Id: a-1",
        "",
      ].join("\n"),
    );
  });

  test("hides nothing: characters without a shape are named", () => {
    expect(show(fakeIo(), [asked({ to: "A\u202Enn\u200B\u001b" })])).toContain(
      'Waiting: pay {"to":"A\\u{202e}nn\\u{200b}\\u001b"}',
    );
  });

  test("is shown on stderr if no steps are wanted", () => {
    const io = fakeIo();
    const view = new ScreenView({ answer: io.stdout }, io);
    view.show(whole(asked({ to: "Ann" })));
    view.show(whole({ type: "interrupt", interrupt: "2", value: { sure: "?" } }));
    expect(io.stdout.text).toBe("");
    expect(io.stderr.text).toMatch(/Waiting: pay .*Waiting: \{"sure":"\?"\}\n$/s);
  });

  test("of a tool is shown as it is, also if it has no value", () => {
    const question = (value: unknown): EventDetails => ({ type: "interrupt", interrupt: "2", value });
    expect(show(fakeIo(), [question("Sure?"), question(undefined)])).toBe(
      "Waiting: Sure?\nWaiting: a tool asks for an answer\n",
    );
  });

  test("is followed by the decision, in words", () => {
    const decision = (decision: EventDetails<"decision">["decision"]): EventDetails => {
      return { type: "decision", id: "a-1", decision };
    };
    const text = show(fakeIo(), [
      decision({ type: "approve" }),
      asked({}),
      decision({ type: "refuse" }),
      decision({ type: "refuse", reason: "Too much." }),
      decision({ type: "edit", input: { to: "Bob" } }),
      decision({ type: "answer", answer: "He has money." }),
    ]);
    expect(text.match(/^Decision: .*$/gm)).toEqual([
      "Decision: approve a-1",
      "Decision: refuse pay",
      "Decision: refuse pay: Too much.",
      'Decision: edit pay: {"to":"Bob"}',
      "Decision: answer pay: He has money.",
    ]);
  });
});

describe("an observation on the screen", () => {
  test("is shortened, with a note of how much is left out", () => {
    const text = show(fakeIo(), [observation(`${"word ".repeat(400)}end`)]);
    expect(text.length).toBeLessThan(700);
    expect(text).toMatch(/word … \(1,40\d more characters\)\n$/);
  });

  test("is shortened to a few lines", () => {
    const text = show(fakeIo(), [observation("line\n".repeat(40))]);
    expect(text.split("\n").length).toBeLessThan(12);
    expect(text).toContain("more characters)");
  });

  test("of a usual length is whole", () => {
    expect(show(fakeIo(), [observation("3.47 seconds")])).toBe("Observation: 3.47 seconds\n");
  });

  test("cannot write to the terminal behind our back", () => {
    const text = show(fakeIo(), [observation("a\u001b[2Jb\u0007c\u009b31md\re")]);
    expect(text).toBe("Observation: a[2Jbc31mde\n");
  });
});

describe("colours", () => {
  const coloured = (io: FakeIo) => show(io, turn).includes("\u001b[3");

  test("are used on a terminal", () => expect(coloured(fakeIo({ terminal: true }))).toBe(true));
  test("are not used in a pipe", () => expect(coloured(fakeIo({ terminal: "stderr" }))).toBe(false));
  test.for<[Record<string, string>, boolean]>([
    [{ NO_COLOR: "1" }, false],
    [{ TERM: "dumb" }, false],
    [{ NO_COLOR: "" }, true],
    [{ FORCE_COLOR: "0" }, false],
  ])("on a terminal with %j: %s", ([env, expected]) => {
    expect(coloured(fakeIo({ terminal: "stdout", env }))).toBe(expected);
  });
  test("are used in a pipe when they are forced", () => {
    expect(coloured(fakeIo({ env: { FORCE_COLOR: "1" } }))).toBe(true);
  });
});

describe("the spinner", () => {
  // The library that turns it looks at the real environment, where a CI server may have said what it is.
  beforeEach(() => vi.stubEnv("CI", undefined));
  afterEach(() => vi.unstubAllEnvs());

  test("turns on stderr while the model works, and is gone when the turn ends", () => {
    const io = fakeIo({ terminal: true });
    const view = new ScreenView({ steps: io.stdout, answer: io.stdout }, io);
    view.show(whole({ type: "turn-start", asked: "What is 2+2?", number: 1, resumed: false }));
    expect(stripVTControlCharacters(io.stderr.text)).toContain("thinking");
    view.show(whole(action("calculator")));
    expect(stripVTControlCharacters(io.stderr.text)).toContain("waiting for calculator");
    view.show(whole({ type: "turn-end", stopReason: "interrupted", usage: noUsage, milliseconds: 5 }));
    expect(io.stderr.text.endsWith("\u001b[?25h")).toBe(true);
  });

  test.for([{ TERM: "dumb" }, { CI: "true" }])("is left out with %j", (env) => {
    const io = fakeIo({ terminal: true, env });
    show(io, turn);
    expect(io.stderr.text).toBe("");
  });

  test("is left out where stderr is no terminal", () => {
    const io = fakeIo({ terminal: "stdout" });
    show(io, turn);
    expect(io.stderr.text).toBe("");
  });
});
