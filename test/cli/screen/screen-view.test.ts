import { stripVTControlCharacters } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ScreenView, type ScreenViewOutputs } from "../../../src/cli/screen/screen-view.js";
import { noUsage } from "../../../src/core/state/usage.js";
import type { EventDetails } from "../../../src/index.js";
import { event as whole } from "../../helpers/turn-events.js";
import { type FakeIo, fakeIo } from "../fake-io.js";

const answer = (text: string, more: object = {}): EventDetails => {
  return { type: "answer", text, stopReason: "answered", ...more };
};
const piece = (text: string): EventDetails => ({ type: "answer-delta", text });
const observation = (text: string, id = "1-1-1"): EventDetails => {
  return { type: "observation", id, text, status: "success" };
};
const action = (tool: string, id = "1-1-1"): EventDetails => ({ type: "action", id, tool, toolInput: "2+2" });

/** A terminal as stdout, without colours. */
const terminal = () => fakeIo({ terminal: "stdout", env: { NO_COLOR: "1" } });

/** Shows events, with the steps and the answer on stdout unless other places are given. Returns the text of stdout. */
function show(
  io: FakeIo,
  events: readonly EventDetails[],
  places: Partial<ScreenViewOutputs> = { steps: io.stdout },
  origin?: Parameters<typeof whole>[1],
) {
  const view = new ScreenView({ answer: io.stdout, ...places }, io);
  for (const event of events) view.show(whole(event, origin));
  return io.stdout.text;
}

/** What a test says, the events, and what a terminal shows of them. */
type Row = [behaviour: string, events: readonly EventDetails[], shown: string];
const onTerminal = ([, events, shown]: Row) => expect(show(terminal(), events)).toBe(shown);

const reset: EventDetails = { type: "answer-reset" };
const thought = (text: string): EventDetails => ({ type: "thought", text });
const text = (text: string): EventDetails => ({ type: "text-delta", text });
const busy: EventDetails = { type: "retry", purpose: "reply", attempt: 2, why: "Busy.", milliseconds: 0 };
const gone: EventDetails = { type: "error", name: "ModelError", message: "gone" };
const stopped = answer("I stopped after 15 steps.", { stopReason: "step-limit" });
const end: EventDetails = { type: "turn-end", stopReason: "interrupted", usage: noUsage, milliseconds: 5 };
const asks = (purpose: "reply" | "summary"): EventDetails => ({ type: "model-start", model: "m", purpose });
const noCursor = { NO_COLOR: "1", CI: "1" };

const turn: readonly EventDetails[] = [
  { type: "turn-start", asked: "And 2+2?", number: 2, resumed: false },
  { type: "question", asked: "And 2+2?", question: "What is 2+2?" },
  thought("I need a calculator.\nAt once."),
  action("calculator"),
  observation("4"),
  piece("2 + 2"),
  piece(" is 4."),
  answer("2 + 2 is 4."),
  end,
];

describe("a turn on the screen", () => {
  test("is shown step by step, with the answer once although it was streamed", () => {
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

  test.for<Row>([
    ["as it is streamed", [piece("2 + 2")], "Answer: 2 + 2"],
    ["with the rest, if only a part was streamed", [piece("2 + 2"), answer("2 + 2 is 4.")], "Answer: 2 + 2 is 4.\n"],
    ["up to where it broke off", [piece("2 + 2"), gone], "Answer: 2 + 2\n"],
    ["whole, if others were streamed", [piece("Is"), answer("4")], "Answer: Is\n  (not the answer)\nAnswer: 4\n"],
  ])("shows the answer %s", onTerminal);

  test("has the answer as a whole if stdout is a pipe, because a pipe takes no text back", () => {
    expect(show(fakeIo(), [piece("2 + 2")])).toBe("");
    expect(show(fakeIo(), [piece("2 + 2"), answer("2 + 2 is 4.")])).toBe("Answer: 2 + 2 is 4.\n");
  });

  test("names the tool of each observation when several tools run", () => {
    const events = [action("calculator", "1"), action("web_search", "2"), observation("4", "1"), observation("x", "2")];
    const text = show(fakeIo(), events);
    expect(text).toContain("Observation (calculator): 4\n");
    expect(text).toContain("Observation: x\n");
  });

  test("says why a turn stopped without an answer, but not on stdout if stdout gets only answers", () => {
    const io = fakeIo();
    expect(show(io, [stopped], { steps: io.stderr })).toBe("");
    expect(io.stderr.text).toBe("Stopped: I stopped after 15 steps.\n");
  });

  test("has only the answer, without a label, when steps are turned off", () => {
    expect(show(fakeIo({ terminal: true }), turn, {})).toBe("2 + 2 is 4.\n");
  });
});

describe("pieces of an answer that are taken back", () => {
  const check = (complaint: string): EventDetails => ({ type: "check", complaint });
  const adds = thought("I will add.");
  const called = [piece("I will"), piece(" add."), reset, adds, action("calculator"), observation("4")];
  const answered = [...called, piece("It is"), piece(" 4."), answer("It is 4.")];
  const step = "Action: calculator\nAction Input: 2+2\nObservation: 4\n";

  test("are marked on a terminal, and not shown twice", () => {
    const twice = `Answer: I will add.\n  (not the answer)\n${step}Answer: It is 4.\n`;
    expect(show(terminal(), answered)).toBe(twice);
    expect(show(terminal(), [...answered, ...answered])).toBe(twice.repeat(2));
    expect(show(terminal(), [piece("It i"), reset, busy, piece("It is 4."), answer("It is 4.")])).toBe(
      "Answer: It i\n  (not the answer)\nNote: second try in 0 s. Busy.\nAnswer: It is 4.\n",
    );
  });

  test("are only a thought in a pipe, and are not shown when steps are turned off", () => {
    expect(show(fakeIo(), answered)).toBe(`Thought: I will add.\n${step}Answer: It is 4.\n`);
    expect(show(fakeIo(), answered, {})).toBe("It is 4.\n");
  });

  test("are shown as a thought if the steps go to another stream", () => {
    const io = terminal();
    expect(show(io, answered, { steps: io.stderr })).toBe("I will add.\n  (not the answer)\nIt is 4.\n");
    expect(io.stderr.text).toContain("Thought: I will add.\n");
  });

  test("are shown once if a step of a check follows, passed or failed", () => {
    const right = [piece("It is 4."), check(""), answer("It is 4.")];
    const agreed = "Answer: It is 4.\nCheck: The answer follows from the passages.\n";
    expect(show(terminal(), right)).toBe(agreed);
    const wrong = [piece("I will add."), check("No."), reset, adds];
    expect(show(terminal(), [...wrong, ...right])).toBe(`Answer: I will add.\nCheck: No.\n${agreed}`);
  });

  test("do not appear again in the next turn", () => {
    const next = [piece("It is 4, too."), answer("It is 4, too.")];
    expect(show(terminal(), [piece("It is 4"), end, ...next])).toContain("Answer: It is 4\nAnswer: It is 4, too.\n");
  });
});

describe("a streamed reply, before it is parsed", () => {
  const four = [text("It is\n"), text("4."), piece("It is\n4."), answer("It is\n4.")];

  test.for<Row>([
    ["is on the screen from the end of its first line", [text("I will\n"), text("add.")], "Reply: I will\nadd."],
    [
      "has the label of the answer if it is one line",
      [text("Is 4."), piece("Is 4."), answer("Is 4.")],
      "Answer: Is 4.\n",
    ],
    ["has the label of a thought if it is one line", [text("\n\nI add."), thought("I add.")], "Thought: I add.\n"],
    ["is marked as a thought", [text("I add.\n"), thought("I add.")], "Reply: I add.\n\n  (a thought)\n"],
    ["is marked as the answer, once", [...four, ...four], "Reply: It is\n4.\n  (the answer)\n".repeat(2)],
    ["is before another text", [text("<\n4>"), thought("4")], "Reply: <\n4>\n  (a thought)\nThought: 4\n"],
    ["is before another answer", [text("<\n4>"), piece("4")], "Reply: <\n4>\n  (a thought)\nAnswer: 4"],
    ["is before a new one", [text("I\ns"), piece("I\ns"), reset, piece("4")], "Reply: I\ns\n  (the answer)\nAnswer: 4"],
    ["is marked before an error", [text("It i"), gone], "Reply: It i\n  (broken off)\n"],
  ])("%s", onTerminal);

  test("is marked before the note that the token limit cut it off, or that the turn stopped", () => {
    const cut = answer("It\nis", { stopReason: "length" });
    expect(show(terminal(), [text("It\nis"), piece("It\nis"), cut, text("It i"), stopped])).toBe(
      "Reply: It\nis\n  (the answer)\nThe token limit cut this answer off.\n" +
        "Reply: It i\n  (broken off)\nStopped: I stopped after 15 steps.\n",
    );
  });

  test("is dropped with a new try, even if it was the answer", () => {
    expect(show(terminal(), [text("It i"), busy, text("It\nis"), piece("It\nis"), busy, ...four])).toBe(
      "Reply: It i\n  (broken off)\nNote: second try in 0 s. Busy.\n" +
        "Reply: It\nis\n  (the answer)\nNote: second try in 0 s. Busy.\nReply: It is\n4.\n  (the answer)\n",
    );
  });

  test("is held back until it is parsed if the steps go to a pipe, because a pipe takes no text back", () => {
    expect(show(fakeIo(), [text("I will add.")])).toBe("");
    const parsed = [text("I will add."), thought("I will add."), ...four];
    expect(show(fakeIo(), parsed)).toBe("Thought: I will add.\nAnswer: It is\n4.\n");
    expect(show(terminal(), parsed, {})).toBe("It is\n4.\n");
  });

  test("is on stderr if stderr is the terminal, and stdout gets only the answer", () => {
    const io = fakeIo({ terminal: "stderr", env: noCursor });
    expect(show(io, four, { steps: io.stderr })).toBe("It is\n4.\n");
    expect(io.stderr.text).toBe("Reply: It is\n4.\n  (the answer)\n");
  });

  test("cannot move the cursor, whatever it contains, and does not depend on the width of the screen", () => {
    const screen = show(terminal(), [text("a\u001b[2J".repeat(99)), thought("b"), text("c".repeat(999))]);
    expect(stripVTControlCharacters(screen)).toBe(screen);
  });
});

describe("a retry, and a correction", () => {
  const retry = (attempt: number, milliseconds: number): EventDetails => {
    return { type: "retry", purpose: "reply", attempt, why: "The model's server failed (503).", milliseconds };
  };

  test("is shown with its number, and its reason, unless the retry before had the same reason", () => {
    const retries = [retry(2, 1_000), retry(3, 2_400), retry(9, 60_000), busy, retry(2, 1_000), retry(2, 1_000)];
    expect(show(fakeIo(), retries).split("\n")).toEqual([
      "Note: second try in 1 s. The model's server failed (503).",
      "Note: third try in 2 s.",
      "Note: 9th try in 60 s.",
      "Note: second try in 0 s. Busy.",
      "Note: second try in 1 s. The model's server failed (503).",
      "Note: second try in 1 s. The model's server failed (503).",
      "",
    ]);
  });

  test("is shown with its kind", () =>
    expect(show(fakeIo(), [{ type: "correction", text: "Give it." }])).toBe("Correction: Give it.\n"));
});

describe("the lines below an answer", () => {
  const spent = { modelCalls: 2, inputTokens: 1_000, outputTokens: 234 };
  /** The end of a turn that cost something. */
  const costly = (more: object = {}, stopReason: "answered" | "waiting" = "answered"): EventDetails => {
    const turn = { ...spent, toolCalls: 1, models: { "gpt-4o": spent }, ...more };
    return { type: "turn-end", stopReason, usage: { ...noUsage, turn }, milliseconds: 2_149 };
  };
  const sources = [
    { number: 2, title: "Cats", address: "https://cats.example/a", heading: "Sleep > At night" },
    { number: 1, title: "dogs.md", address: "dogs.md" },
  ];

  /** Shows an answer with its sources and its end. */
  const shown = (io: FakeIo, outputs: Partial<ScreenViewOutputs>, last = costly()) =>
    show(io, [answer("Cats sleep [2][1].", { sources }), last], outputs, { step: 2 });
  const screen = () => fakeIo({ terminal: true, env: noCursor });
  const sourceLines = "[2] Cats, https://cats.example/a > Sleep > At night\n[1] dogs.md\n";

  test.for<[string, object, string]>([
    ["the time and cost of the turn", {}, "2 steps · 2.1 s · 1,234 tokens · $0.00484\n"],
    ["no money where a price is not known", { models: { "my-model": spent } }, "2 steps · 2.1 s · 1,234 tokens\n"],
    ["an estimate of tokens", { estimatedTokens: 3 }, "2 steps · 2.1 s · 1,234 tokens · about $0.00484\n"],
    ["nothing else where no model was called", noUsage.turn, ""],
  ])("are its sources, and %s", ([, more, last]) => {
    const io = screen();
    expect(shown(io, { steps: io.stdout }, costly(more))).toBe(`Answer: Cats sleep [2][1].\n${sourceLines}${last}`);
  });

  test("are only the sources if the answer goes to a pipe", () => {
    const io = fakeIo({ terminal: "stderr", env: noCursor });
    expect(shown(io, { steps: io.stderr })).toBe("Cats sleep [2][1].\n");
    expect(io.stderr.text).toBe(sourceLines);
  });

  const quote = { start: 0, end: 8, isFound: false, foundIn: null };
  const cited = { start: 9, end: 12, quotes: [] };
  const citations: EventDetails = {
    type: "citations",
    citations: [
      { ...cited, number: 1, source: 0, quotes: [quote, { ...quote, start: 20 }, { ...quote, isFound: true }] },
      { ...cited, number: 2, source: 1, quotes: [quote] },
      { ...cited, number: 7, source: null },
      { ...cited, number: 9, source: null },
      { ...cited, number: 7, source: null },
    ],
  };

  test("are a line with citations without a source and quotes that were not found, if there are any", () => {
    const io = screen();
    const events = [piece("They sleep [2][1]."), citations, answer("They sleep [2][1]. Really.", { sources })];
    const right: EventDetails = { type: "citations", citations: [{ ...cited, number: 1, source: 0 }] };
    expect(show(io, [...events, answer("Yes."), right, answer("They sleep [1].")])).toBe(
      "Answer: They sleep [2][1]. Really.\n" +
        "No source has the number [7] [9]. No source cited beside it has the words of 2 quotes.\n" +
        `${sourceLines}Answer: Yes.\nAnswer: They sleep [1].\n`,
    );
    const quiet = screen();
    expect(show(quiet, events, {}) + quiet.stderr.text).not.toContain("No source");
  });

  const search: EventDetails = { type: "search", retriever: "docs", query: "rain", found: 1 };

  test("have what was not searched, once, and not if the answer says it", () => {
    const io = screen();
    const missed = { ...search, notSearched: "Not searched: 2 links." };
    const events = [missed, missed, answer("One."), missed, answer("Two."), search, answer("Three.")];
    const again = [missed, answer("No. Not searched: 2 links.")];
    expect(show(io, [...events, ...again], { notes: io.stdout })).toBe(
      "One.\nNot searched: 2 links.\nTwo.\nNot searched: 2 links.\nThree.\nNo. Not searched: 2 links.\n",
    );
  });

  test("have the reason why the passages do not confirm an answer, and above it is what a reranker did", () => {
    const reranks: EventDetails[] = [
      { type: "rerank", kept: 2, dropped: 3 },
      { type: "rerank", kept: 5, dropped: 0, error: "401" },
    ];
    const wrong = answer("Bob [1].", { stopReason: "ungrounded", why: "it was\nAnn" });
    expect(show(terminal(), [...reranks, wrong])).toBe(
      "Rerank: 2 of 5 passages stay.\nRerank: it failed. 401\n" +
        "Answer: Bob [1].\nThe passages do not confirm this answer: it was Ann.\n",
    );
  });

  test("are shown without the steps, and so is a retry", () => {
    const io = screen();
    const shown = show(io, [thought("I will look."), busy, answer("4"), costly()], { notes: io.stdout });
    expect(shown).toMatch(/^Note: second try in 0 s. Busy.\n4\n\d steps? · /);
  });

  test("are left out with --show answer, and in a turn that waits", () => {
    const io = screen();
    expect(shown(io, {})).toBe("Cats sleep [2][1].\n");
    show(io, [costly({}, "waiting")], { notes: io.stderr });
    expect(io.stderr.text).toBe("");
  });
});

describe("an agent in a tool", () => {
  test("shows its steps and its thinking with the name of the tool, and its answer as a step", () => {
    const io = terminal();
    const places = { steps: io.stdout, thinking: io.stdout };
    const thinks: EventDetails[] = [
      { type: "reasoning-delta", text: "Deep." },
      { type: "reasoning", text: "Deep." },
    ];
    show(io, [...thinks, action("calculator"), piece("In"), answer("Inner."), end], places, { path: ["ask", "dig"] });
    expect(io.stdout.text).toBe("ask > dig > Thinking: Deep.\nask > dig > Action: calculator\nAction Input: 2+2\n");
  });
});

describe("a question to a person on the screen", () => {
  const asked = (input: Record<string, unknown>, more: object = {}): EventDetails => {
    const request = { id: "a-1", tool: "pay", input, description: "Pays.", why: "It is Sunday.", digest: "1" };
    const requests = [{ ...request, allowed: ["approve" as const], ...more }];
    return { type: "approval", interrupt: "1", complaints: ["The answer was empty."], requests };
  };

  test("is shown whole, hides nothing in its text, and cannot start lines of its own", () => {
    const names = "Ann".repeat(500);
    const more = { tool: "pay\u2060", note: "Made of {}\u3164.", why: "To Ann\u2028  Id: b-2", complaint: "\u{e0101}" };
    const call: EventDetails = { type: "action", id: "a-1", tool: "pay", toolInput: { to: "Ann\ufe0f" } };
    const events = [asked({ to: `${names}\u2028  Why: You did so before\u007f` }, more), call];
    expect(show(fakeIo(), events).split("\n")).toEqual([
      "Not taken: The answer was empty.",
      `Waiting: pay\\u{2060} {"to":"${names}\\u{2028}  Why: You did so before\\u{7f}"}`,
      "  Not taken: \\u{e0101}",
      "  Note: Made of {}\\u{3164}.",
      "  Why: To Ann\\u{2028}  Id: b-2",
      "  Possible: approve",
      "  Id: a-1",
      "Action: pay",
      'Action Input: {"to":"Ann\\u{fe0f}"}',
      "",
    ]);
  });

  test("is shown on stderr if steps are turned off: a tool's own one as it is, also without a value", () => {
    const io = fakeIo();
    const question = (value: unknown): EventDetails => ({ type: "interrupt", interrupt: "2", value });
    expect(show(io, [asked({}), question({ sure: "?" }), question("Sure?"), question(undefined)], {})).toBe("");
    expect(io.stderr.text.match(/^Waiting: .*|.*Id: 2$/gm)).toEqual([
      "Waiting: pay {}",
      'Waiting: {"sure":"?"}',
      "  Id: 2",
      "Waiting: Sure?",
      "  Id: 2",
      "Waiting: a tool asks for an answer",
      "  Id: 2",
    ]);
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
      decision({ type: "edit", input: { to: "\u115f" } }),
      decision({ type: "answer", answer: "He has money." }),
    ]);
    expect(text.match(/^Decision: .*$/gm)).toEqual([
      "Decision: approve a-1",
      "Decision: refuse pay",
      "Decision: refuse pay: Too much.",
      'Decision: edit pay: {"to":"\\u{115f}"}',
      "Decision: answer pay: He has money.",
    ]);
  });
});

describe("an observation on the screen", () => {
  test("is shortened, to a few lines, with a note of how much is left out", () => {
    const words = show(fakeIo(), [observation(`${"word ".repeat(400)}end`)]);
    expect(words.length).toBeLessThan(700);
    expect(words).toMatch(/word … \(1,40\d more characters\)\n$/);
    const lines = show(fakeIo(), [observation("line\n".repeat(40))]);
    expect(lines.split("\n").length).toBeLessThan(12);
    expect(lines).toContain("more characters)");
  });

  test("cannot send control characters to the terminal", () => {
    const text = show(fakeIo(), [observation("a\u001b[2Jb\u0007c\u009b31md\re")]);
    expect(text).toBe("Observation: a[2Jbc31mde\n");
  });
});

describe("colours", () => {
  test.for<[Parameters<typeof fakeIo>[0], boolean]>([
    [{ terminal: true }, true],
    [{ terminal: "stderr" }, false],
    [{ terminal: "stdout", env: { NO_COLOR: "1" } }, false],
    [{ terminal: "stdout", env: { TERM: "dumb" } }, false],
    [{ terminal: "stdout", env: { NO_COLOR: "" } }, true],
    [{ terminal: "stdout", env: { FORCE_COLOR: "0" } }, false],
    [{ env: { FORCE_COLOR: "1" } }, true],
  ])("are used with %j: %s", ([streams, expected]) => {
    expect(show(fakeIo(streams), turn).includes("\u001b[3")).toBe(expected);
  });
});

function useFakeClock() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

describe("a long wait for the model", () => {
  test("is noted in a line if there is no spinner, and not if steps are turned off", () => {
    useFakeClock();
    const [io, quiet] = [fakeIo(), fakeIo()];
    show(io, [asks("reply")], { steps: io.stderr });
    show(quiet, [asks("reply")], {});
    vi.advanceTimersByTime(20_000);
    expect(io.stderr.text).toBe("Note: thinking, no answer for 20 s\n");
    expect(io.stdout.text + quiet.stderr.text + quiet.stdout.text).toBe("");
  });

  test("does not break into a reply or an answer that is being written", () => {
    useFakeClock();
    const io = fakeIo({ terminal: "stdout" });
    const view = new ScreenView({ steps: io.stdout, answer: io.stdout }, io);
    // The memory asks the model for a summary before the answer is whole.
    for (const event of [asks("reply"), piece("It is"), asks("summary")]) view.show(whole(event));
    vi.advanceTimersByTime(20_000);
    view.show(whole(answer("It is 4.")));
    expect(stripVTControlCharacters(io.stdout.text)).toBe("Answer: It is 4.\n");
  });
});

describe("the spinner", () => {
  test("turns on stderr while the model works, leaves room for ^C, and is removed when the turn ends", () => {
    const io = fakeIo({ terminal: true });
    const indexing: EventDetails = { type: "indexing", work: "reading", done: 400, total: 3_001 };
    show(io, [asks("reply"), action("calculator"), indexing, action("look_up_".repeat(20)), end]);
    expect(stripVTControlCharacters(io.stderr.text).match(/[^\r]+/g)).toEqual([
      expect.stringMatching(/^. thinking$/),
      expect.stringMatching(/^. waiting for calculator$/),
      expect.stringMatching(/^. Read 400 of 3,001 new and changed documents$/),
      expect.stringMatching(/^.{77}$/),
    ]);
    expect(io.stderr.text.endsWith("\r\u001b[K")).toBe(true);
    expect(io.stderr.text).not.toContain("\u001b[?25l");
  });

  test("names a long wait, until the next event", () => {
    useFakeClock();
    const io = fakeIo({ terminal: true });
    const view = new ScreenView({ steps: io.stdout, answer: io.stdout }, io);
    view.show(whole(asks("reply")));
    vi.advanceTimersByTime(40_000);
    view.show(whole(action("calculator")));
    vi.advanceTimersByTime(20_000);
    view.show(whole(gone));
    const shown = stripVTControlCharacters(io.stderr.text);
    expect(shown).toContain("thinking, no answer for 20 s");
    expect(shown).toContain("thinking, no answer for 40 s");
    expect(shown).toContain("waiting for calculator, no answer for 20 s");
    expect(vi.getTimerCount()).toBe(0);
  });

  test.for<NonNullable<Parameters<typeof fakeIo>[0]>>([
    { terminal: true, env: { TERM: "dumb" } },
    { terminal: true, env: { CI: "true" } },
    { terminal: "stdout" },
  ])("is left out with %j", (streams) => {
    const io = fakeIo(streams);
    show(io, turn);
    expect(io.stderr.text).toBe("");
  });
});

describe("the model's thinking", () => {
  const thinks = (text: string): EventDetails => ({ type: "reasoning-delta", text });
  const hasThought = (text: string): EventDetails => ({ type: "reasoning", text });
  const step = [thinks("I need\n"), thinks("a sum."), text("I add."), hasThought("I need\na sum.")];
  const rest = [thinks("Clear."), piece("It is 4."), hasThought("Clear."), answer("It is 4."), end];
  const wholeTurn = [...step, thought("I add."), observation("4"), ...rest];

  const shown = (io: FakeIo, events: readonly EventDetails[]) =>
    show(io, events, { steps: io.stdout, thinking: io.stdout });

  test("is streamed on a terminal, once, before the reply and the answer", () => {
    expect(shown(terminal(), step.slice(0, 2))).toBe("Thinking: I need\na sum.");
    expect(shown(terminal(), wholeTurn)).toBe(
      "Thinking: I need\na sum.\nThought: I add.\nObservation: 4\nThinking: Clear.\nAnswer: It is 4.\n",
    );
  });

  test("is before the step in a pipe", () => {
    expect(shown(fakeIo(), wholeTurn)).toBe(
      "Thinking: I need\n  a sum.\nThought: I add.\nObservation: 4\nThinking: Clear.\nAnswer: It is 4.\n",
    );
  });

  test("is below a reply or an answer that it would split", () => {
    const split = [piece("It "), thinks("Surely"), thinks(" so."), piece("is 4."), hasThought("Surely so.")];
    expect(shown(terminal(), [...split, answer("It is 4."), end])).toBe("Answer: It is 4.\nThinking: Surely so.\n");
  });

  test("is shown only with --show thinking", () => {
    for (const io of [terminal(), fakeIo()]) {
      expect(show(io, wholeTurn)).not.toMatch(/Thinking|Clear|a sum/);
    }
  });
});
