import { describe, expect, it } from "vitest";
import type { ApprovalDecision } from "../../src/core/state/approval.js";
import { stopReasonSchema } from "../../src/core/state/decision.js";
import * as say from "../src/turn/sentences.js";
import type { Call, Step, StepNote, Turn } from "../src/turn/turn.js";
import type { WaitingQuestion, WaitingRequest } from "../src/wire.js";
import { nothingDone } from "./no-turn.js";

const turn: Turn = {
  number: 1,
  asked: "What do four seats cost?",
  ...nothingDone,
  stopReason: "answered",
  workedMs: 8400,
};
const call: Call = { id: "a-1", tool: "fares", input: {}, status: "success", result: "549 kr", inner: [] };
const step: Step = { number: 1, kind: "action", calls: [], notes: [] };
const request: WaitingRequest = {
  id: "a-1",
  tool: "refund",
  input: {},
  description: "",
  why: "",
  allowed: ["approve"],
  digest: "",
};
const asked = (...tools: string[]): WaitingQuestion => ({
  type: "approval",
  interrupt: "i",
  complaints: [],
  requests: tools.map((tool, n) => ({ ...request, tool, id: `a-${n + 1}` })),
});
const waiting = { stopReason: undefined, waiting: [asked("refund")] };
const whole = (shown: Partial<Turn>, caller?: string) => {
  const { head, rest } = say.turnSentence({ ...turn, ...shown }, caller);
  return head + rest;
};

/** What is said of a turn without steps, and above its answer. A stop reason that is missing here does not compile. */
const ends: Readonly<Record<say.End, readonly [sentence: string, note?: string]>> = {
  answered: ["Answered in 8.4 s."],
  returned: ["Answered by a tool in 8.4 s."],
  length: ["Cut off by the token limit in 8.4 s.", "The token limit cut this answer off."],
  refused: ["The model refused to answer in 8.4 s.", "The model refused to answer."],
  "not-found": ["Nothing that helps was found in 8.4 s.", "The search found nothing that helps."],
  ungrounded: ["Not confirmed by the passages in 8.4 s.", "The passages do not confirm this answer"],
  "step-limit": limited("the steps of a turn."),
  "tool-call-limit": limited("the calls of one tool."),
  "model-call-limit": limited("the model calls of a turn."),
  "token-limit": limited("the tokens of a turn."),
  "cost-limit": limited("the dollars of a turn."),
  "time-limit": limited("the time of a turn."),
  repeats: limited("calls that were made before, with the same results."),
  "stop-condition": limited("a condition of this agent."),
  unreadable: limited("too many replies in a row could not be read."),
  "invalid-output": limited("too many answers in a row did not have the form that was asked for."),
  filtered: ["Stopped by the provider's content filter in 8.4 s.", "The provider's content filter stopped this reply."],
  cancelled: ["Stopped on request in 8.4 s.", "This turn was stopped."],
  interrupted: ["Stopped before its end in 8.4 s.", "This turn was stopped before it had an answer."],
  failed: ["Failed in 8.4 s.", "This turn failed."],
  waiting: ["Waits for you in 8.4 s."],
  "handed-over": ["Handed over to the graph around this agent in 8.4 s."],
};
function limited(about: string): [string, string] {
  return [`Stopped at a limit in 8.4 s: ${about}`, `Stopped at a limit: ${about}`];
}

describe("a turn", () => {
  it.each(Object.entries(ends))("says how it ended: %s", (stopReason, [sentence, note]) => {
    expect(whole({ stopReason })).toBe(sentence);
    expect(say.turnNote({ ...turn, stopReason })?.text).toBe(note);
  });

  it("has words for each stop reason that the server sends", () => {
    for (const stopReason of stopReasonSchema.options) expect(Object.keys(ends)).toContain(stopReason);
  });

  it("names a stop reason of a later version as it is", () => {
    expect(whole({ stopReason: "tired" })).toBe("tired in 8.4 s.");
    expect(say.turnNote({ ...turn, stopReason: "tired" })).toBeUndefined();
  });

  it("says which limit was reached, what was done, and offers to go on", () => {
    const why = "the question was not settled with 3 calls of fares";
    const failed = { ...call, status: "error" } as const;
    const unread: Step = { ...step, kind: "unparseable", why, limit: "tool-call-limit" };
    const steps = [{ ...step, calls: [call, failed, failed, failed] }, unread];
    expect(whole({ stopReason: "tool-call-limit", why, steps })).toBe(
      `Stopped at a limit in 8.4 s: ${why}. 4 calls, 3 of them failed.`,
    );
    expect(say.turnNote({ ...turn, stopReason: "tool-call-limit", why })).toEqual({
      tone: "person",
      text: `Stopped at a limit: ${why}.`,
      offer: "go on",
    });
  });

  it("tells the time that it waited, and what persons did", () => {
    const decided = { askedAt: "2026-11-28T14:10:20.000Z", at: "2026-11-28T14:10:27.400Z", by: "Ann" };
    const calls: Call[] = [
      call,
      { ...call, status: "error", decision: { type: "refuse" }, decided },
      { ...call, decision: { type: "edit", input: {} }, decided },
      { ...call, decision: { type: "approve" }, decided },
    ];
    const done = { steps: [{ ...step, calls }] };
    expect(whole(done, "Ann")).toBe(
      "Answered after 15.8 s, 7.4 s of them waiting for you: 4 calls, 1 refused by you, 1 changed by you.",
    );
    expect(whole(done, "Ben")).toBe(
      "Answered after 15.8 s, 7.4 s of them waiting for Ann: 4 calls, 1 refused by Ann, 1 changed by Ann.",
    );
  });

  it("tells replies that could not be read, and searches", () => {
    const search = { retriever: "films", query: "first film", found: 4, after: 0 };
    expect(
      whole({
        steps: [
          { ...step, calls: [call] },
          { ...step, kind: "unparseable" },
        ],
      }),
    ).toBe("Answered in 8.4 s: 1 call, 1 reply that could not be read.");
    expect(whole({ searches: [search, search] })).toBe("Answered in 8.4 s: 2 searches.");
  });

  it("that waits says for what", () => {
    expect(whole({ ...waiting, waiting: [asked("refund", "send_mail")], steps: [{ ...step, calls: [call] }] })).toBe(
      "Waits for you: 2 calls wait, refund and send_mail. So far 1 call.",
    );
    expect(whole({ ...waiting, waiting: [{ type: "interrupt", interrupt: "i", value: "Sure?" }] })).toBe(
      "Waits for you: a tool asks you something.",
    );
  });

  it("that runs says what it does, and one that stopped says that", () => {
    const { stopReason, workedMs, ...open } = turn;
    const said = (shown: Turn) => Object.values(say.turnSentence(shown)).join("");
    expect(said({ ...open, now: { node: "plan", since: "2026-11-28T14:10:20.000Z" } })).toBe("Works: plan.");
    expect(said(open)).toBe("Not finished.");
    expect(say.turnState(open)).toEqual({ text: "Not finished", tone: "plain" });
    expect(say.turnState({ ...open, ...waiting })).toEqual({ text: "Waits for you", tone: "person" });
  });

  it("that failed has the words of its error", () => {
    const error = { name: "ModelError", message: "The model's server failed (503): busy. Ask again later." };
    expect(whole({ error })).toBe("Failed in 8.4 s: the model's server failed (503): busy. Ask again later.");
    expect(say.turnNote({ ...turn, error })).toEqual({ tone: "bad", text: error.message, offer: "ask again" });
  });
});

describe("a step", () => {
  it.each<[Partial<Step>, string]>([
    [{ kind: undefined }, "The model writes its reply."],
    [{ kind: "finish" }, "The reply is the answer."],
    [{ kind: "unparseable" }, "The reply could not be read. The model is asked again."],
    [
      { kind: "unparseable", why: "Its arguments of calculator cannot be read." },
      "The reply could not be read: its arguments of calculator cannot be read. The model is asked again.",
    ],
    [
      {
        kind: "unparseable",
        why: '[Your reply could not be used]\nIts action is not known. It was: "Action: x"\nCall a tool.\n[Write your reply now]',
      },
      "The reply could not be read: its action is not known. The model is asked again.",
    ],
    [
      {
        kind: "unparseable",
        why: "[Not used]\nNo more calls will be made: the turn took 15 steps.\nGive the best answer.",
      },
      "The model wanted a call beyond a limit: the turn took 15 steps. It is asked for its best answer.",
    ],
    [
      { kind: "unparseable", why: "the turn took 15 steps", limit: "step-limit" },
      "The model wanted a call beyond a limit: the turn took 15 steps. It is asked for its best answer.",
    ],
    [{ calls: [call] }, "The reply has one call."],
    [{ calls: [call, call] }, "The reply has 2 calls."],
    [{ calls: [{ ...call, decision: { type: "approve" } }] }, "The reply has one call: you approved it."],
  ])("%o", (shown, sentence) => {
    expect(say.stepSentence({ ...step, ...shown })).toBe(sentence);
  });

  it("says about which of its calls a person is asked", () => {
    const open: Call = { ...call, status: undefined };
    expect(say.stepSentence({ ...step, calls: [open] }, [asked("refund")])).toBe(
      "The reply has one call, about which you are asked.",
    );
    expect(
      say.stepSentence(
        {
          ...step,
          calls: [
            { ...open, tool: "refund" },
            { ...call, id: "a-2" },
          ],
        },
        [asked("refund")],
      ),
    ).toBe("The reply has 2 calls, and you are asked about refund.");
  });

  /** A kind of note that is missing here does not compile. */
  const notes: Readonly<Record<StepNote["type"], readonly [StepNote["fields"], string]>> = {
    retry: [
      { attempt: 2, milliseconds: 1000, why: "The model's server failed (503): busy." },
      "The model was asked again after 1.0 s, try 2: The model's server failed (503): busy.",
    ],
    "model-fallback": [{ from: "a", to: "b", why: "busy." }, "a failed, and b was asked: busy."],
    "protocol-fallback": [
      { from: "tool-calling", to: "react", why: "No tools." },
      "The model's server refused the protocol tool-calling, and react went on: No tools.",
    ],
    refusal: [
      { model: "gemma:2b", part: "tools", why: "No tools." },
      "The server of gemma:2b refused a part of the request, which was made again without it: tools: No tools.",
    ],
    shortened: [
      { observations: 2, turns: 1 },
      "The prompt was too long, so 2 results are shown in part and the oldest turn is left out.",
    ],
    "files-named": [{ why: "No images." }, "The prompt names the files in words: No images."],
  };
  it.each(Object.entries(notes))("has a note about %s", (type, [fields, sentence]) => {
    expect(say.noteSentence({ type: type as StepNote["type"], fields })).toBe(sentence);
  });
});

describe("a call", () => {
  const decisions: Readonly<Record<ApprovalDecision["type"], readonly [ApprovalDecision, string]>> = {
    approve: [{ type: "approve" }, "approved it"],
    edit: [{ type: "edit", input: {} }, "changed its input, then it ran"],
    refuse: [{ type: "refuse", reason: "Too much." }, "refused it: Too much."],
    answer: [{ type: "answer", answer: "549 kr" }, "answered in its place"],
  };
  it.each(Object.values(decisions))("%o", (decision, sentence) => {
    const decided = { at: "2026-11-28T14:10:27.400Z", by: "Ann" };
    expect(say.callSentence({ ...call, decision, decided }, "Ann")).toBe(`you ${sentence}`);
    expect(say.callSentence({ ...call, decision, decided }, "Ben")).toBe(`Ann ${sentence}`);
    expect(say.callSentence({ ...call, decision })).toBe(`you ${sentence}`);
  });

  it.each([
    [undefined, "it has not ended"],
    ["success", "it ran"],
    ["error", "it failed"],
    ["unknown", "it began, and nobody knows whether it ended"],
  ] as const)("that ended as %s", (status, sentence) => {
    expect(say.callSentence({ ...call, status })).toBe(sentence);
  });
});

it("a search says what it found, or why not", () => {
  const search = { retriever: "films", query: "first film", found: 4, after: 0 };
  expect(say.searchSentence(search)).toBe("4 found");
  expect(say.searchSentence({ ...search, error: "No index." })).toBe("it failed: No index.");
  expect(say.searchSentence({ ...search, notSearched: "2 files are too long." })).toBe(
    "4 found. 2 files are too long.",
  );
});
