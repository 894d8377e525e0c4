import { tool } from "@langchain/core/tools";
import { Command, INTERRUPT, isInterrupted, MemorySaver } from "@langchain/langgraph";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { BEGUN_CHANNEL, PAUSE_CHANNEL } from "../../../src/core/run/notes.js";
import { decisionSchema } from "../../../src/core/state/decision.js";
import {
  type AgentOptions,
  approvalRequests,
  askHuman,
  createAgent,
  decide,
  InvalidOptionError,
  streamTurn,
} from "../../../src/index.js";
import { readDecisions } from "../../../src/middleware/approvals/read-decisions.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { needs } from "../../helpers/needs.js";
import { allOf, stepsIn } from "../../helpers/turn-events.js";

const thread = { configurable: { thread_id: "t" } };
let paid: string[] = [];
beforeEach(() => {
  paid = [];
});

const pay = tool(
  ({ to, amount }) => {
    paid.push(`${amount} to ${to}`);
    return `paid ${amount} to ${to}`;
  },
  {
    name: "pay",
    description: "Pays an amount to somebody.",
    schema: z.object({ to: z.string(), amount: z.number() }),
    metadata: { effects: true },
  },
);
const look = tool(({ at }) => `looked at ${at}`, {
  name: "look",
  description: "Looks at something.",
  schema: z.object({ at: z.string() }),
});

const payCall = (to: string, amount: unknown = 5) => ({ name: "pay", args: { to, amount } });
const calls = (...tool_calls: { name: string; args: Record<string, unknown> }[]): ScriptedReply => ({
  content: "I do it",
  tool_calls,
});

function agentWith(replies: readonly ScriptedReply[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(replies);
  const tools = [pay, look];
  const checkpointer = new MemorySaver();
  return createAgent({ model, tools, protocol: "tool-calling", approve: "effects", checkpointer, ...options });
}

/** Runs an agent until it asks, and returns what it asks. */
async function asked(agent: ReturnType<typeof agentWith>) {
  const requests = approvalRequests(await agent.invoke({ messages: "Do it." }, thread));
  expect(approvalRequests(await agent.getState(thread))).toEqual(requests);
  return requests;
}

const interrupts = (state: object) => (isInterrupted(state) ? state[INTERRUPT] : []);

const observations = (state: { intermediateSteps: { results: { observation: string }[] }[] }) =>
  state.intermediateSteps.flatMap(({ results }) => results.map(({ observation }) => observation));

describe("the option approve", () => {
  const policies: [AgentOptions["approve"], string[]][] = [
    ["never", []],
    ["effects", ["pay"]],
    ["always", ["pay", "look"]],
    [async ({ input }) => (input.amount === 5 ? "Five is much." : false), ["pay"]],
    [({ state }) => state.turn.asked !== "Do it.", []],
  ];
  it.each(policies)("%s asks about %j", async (approve, names) => {
    const agent = agentWith([calls(payCall("Ann"), { name: "look", args: { at: "it" } }), "Done."], { approve });
    expect((await asked(agent)).map(({ tool: name }) => name)).toEqual(names);
    expect(paid).toEqual(names.length === 0 ? ["5 to Ann"] : []);
  });

  it("has the reason that the function returned", async () => {
    const agent = agentWith([calls(payCall("Ann"))], { approve: () => "It is Sunday." });
    expect(await asked(agent)).toMatchObject([
      {
        tool: "pay",
        input: { to: "Ann", amount: 5 },
        description: "Pays an amount to somebody.",
        why: "It is Sunday.",
        allowed: ["approve", "edit", "refuse", "answer"],
      },
    ]);
  });

  it("does not ask about an invalid call", async () => {
    const agent = agentWith([calls(payCall("Ann", "five"), { name: "pray", args: {} }), "Done."]);
    const state = await agent.invoke({ messages: "Do it." }, thread);
    expect(state.answer).toBe("Done.");
    expect(observations(state)[0]).toContain("pay was not run, because it does not take this input.");
  });

  it("is kept for a waiting call, if an agent that never asks gets the decision", async () => {
    const checkpointer = new MemorySaver();
    const [request] = await asked(agentWith([calls(payCall("Ann"))], { checkpointer }));
    const lax = agentWith(["Done."], { checkpointer, approve: "never" });
    expect(approvalRequests(await lax.invoke(null, thread))).toEqual([request]);
    const state = await lax.invoke(decide({ [request?.id ?? ""]: "refuse" }), thread);
    expect([state.answer, paid]).toEqual(["Done.", []]);
  });

  it("needs a checkpointer, and says so", async () => {
    const model = scriptedModel([calls(payCall("Ann"))]);
    const agent = createAgent({ model, tools: [pay], protocol: "tool-calling", approve: "always" });
    await expect(agent.invoke({ messages: "Do it." })).rejects.toThrow(/a person is asked, .* give .*checkpointer/);
    expect(paid).toEqual([]);
  });
});

const edit = { name: "pay", args: { to: "Ann", amount: 2 } };

describe("a decision", () => {
  it("is carried out for its action only, and shown to the model", async () => {
    const model = scriptedModel([calls(payCall("Ann"), payCall("Bob"), payCall("Cid"), payCall("Dan")), "Done."]);
    const agent = agentWith([], { model });
    const [ann, bob, cid, dan] = await asked(agent);
    if (!ann || !bob || !cid || !dan) throw new Error("Not all were asked about.");
    const state = await agent.invoke(
      decide({
        [dan.id]: { type: "answer", answer: "Dan has money." },
        [cid.id]: { type: "edit", input: { to: "Cid", amount: 1 } },
        [bob.id]: { type: "refuse", reason: "He is rich" },
        [ann.id]: "approve",
      }),
      thread,
    );
    expect(paid).toEqual(["5 to Ann", "1 to Cid"]);
    expect(state.intermediateSteps[0]?.results).toMatchObject([
      { action: { id: ann.id }, status: "success", decision: { type: "approve" }, observation: "paid 5 to Ann" },
      {
        action: { id: bob.id },
        status: "error",
        decision: { type: "refuse" },
        observation:
          "A person refused this call of pay: He is rich. The tool did not run. Do not make the same call again. Find another way, or give the final answer and say what was refused.",
      },
      {
        action: { id: cid.id },
        status: "success",
        decision: { type: "edit" },
        observation: "paid 1 to Cid",
        note: 'You called pay with {"to":"Cid","amount":5}. A person changed the input to {"to":"Cid","amount":1}. The result is for that input.',
      },
      { action: { id: dan.id }, status: "success", decision: { type: "answer" }, observation: "Dan has money." },
    ]);
    const called = state.messages.flatMap((message) => ("tool_call_id" in message ? [message.tool_call_id] : []));
    expect(called).toEqual(["call_1", "call_2", "call_3", "call_4"]);
    expect(model.calls.at(-1)?.prompt).toContain("He is rich");
  });

  it("may come for some calls; the others are asked about again, and streamTurn yields each once", async () => {
    const agent = agentWith([calls(payCall("Ann"), payCall("Bob")), "Done."]);
    const events = async (input: Parameters<typeof streamTurn>[1]) => {
      return stepsIn(await allOf(streamTurn(agent, input, thread)));
    };
    const first = await events({ messages: "Do it." });
    expect(first.map(({ type }) => type)).toEqual(["question", "thought", "action", "action", "approval"]);
    const { values, ...waiting } = await agent.getState(thread);
    expect(values.messages.map(({ type }: { type: string }) => type)).toEqual(["human", "ai"]);
    const [ann, bob] = approvalRequests(waiting);
    const second = await events(decide({ [bob?.id ?? ""]: "approve" }));
    expect(second.map(({ type }) => type)).toEqual(["decision", "approval"]);
    expect(second[1]).toMatchObject({ requests: [{ id: ann?.id }] });
    expect(paid).toEqual([]);
    const third = await events(decide({ [ann?.id ?? ""]: "refuse" }));
    expect(third.map(({ type }) => type)).toEqual(["decision", "observation", "observation", "answer"]);
    expect(third[0]).toMatchObject({ type: "decision", id: ann?.id, decision: { type: "refuse" } });
    expect(paid).toEqual(["5 to Bob"]);
  });

  it("that is wrong is refused, and the calls are asked about again", async () => {
    const agent = agentWith([calls(payCall("Ann")), "Done."]);
    const [request] = await asked(agent);
    const id = request?.id ?? "";
    const ofAnotherTool = { type: "edit", editedAction: { name: "look", args: {} } };
    const wrong: [unknown, RegExp][] = [
      ["yes", /The answer was "yes"\. Give a decision for the id of each action, such as/],
      [{}, /The answer was empty\./],
      [[], /^/],
      [{ decisions: [{ type: "approve" }, { type: "approve" }] }, /The answer had 2 decisions for 1 actions/],
      [{ [id]: "aprove" }, /The decision was not understood: .* Possible are: approve/],
      [
        { [id]: { type: "edit", input: { to: "Ann", amount: "much" } } },
        /does not fit pay\. "amount": .* The tool takes/,
      ],
      [{ [id]: { type: "approve", digest: "0123456789abcdef" } }, /was made about another input of this action\./],
      [{ decisions: [ofAnotherTool] }, /not understood/],
      [
        { decisions: [{ type: "approve", edited_action: edit }] },
        /: .*edited_action.* are: approve, edit, refuse, answer/,
      ],
    ];
    for (const [resume, complaint] of wrong) {
      const state = await agent.invoke(new Command({ resume }), thread);
      const [again] = approvalRequests(state);
      expect(again?.id).toBe(id);
      const { complaints } = z.object({ complaints: z.array(z.string()) }).parse(interrupts(state)[0]?.value);
      expect([again?.complaint, ...complaints].join()).toMatch(complaint);
    }
    expect(paid).toEqual([]);
    expect((await agent.invoke(decide({ [id]: "approve" }), thread)).answer).toBe("Done.");
    expect(paid).toEqual(["5 to Ann"]);
  });

  it("and a policy are validated", () => {
    // @ts-expect-error: it is misspelt.
    expect(() => decide({ a: "aprove" })).toThrow(InvalidOptionError);
    // @ts-expect-error: it is misspelt.
    expect(() => createAgent({ model: scriptedModel([]), approve: "allways" })).toThrow(InvalidOptionError);
  });

  it.each([
    ["decision", undefined],
    ["observation", undefined],
    ["observation", "refuse"],
  ] as const)("stays with its call, and who decided, if the run stops after the %s, then %s", async (type, next) => {
    const agent = agentWith([calls(payCall("Ann")), "Done."]);
    const [{ id = "", askedAt } = {}] = await asked(agent);
    const decision = decide({ [id]: "approve" }, { by: "Eve" });
    for await (const event of streamTurn(agent, decision, thread)) if (event.type === type) break;
    const state = await agent.invoke(next ? decide({ [id]: next }) : null, thread);
    const result = { decision: { type: "approve" }, decided: { askedAt, by: "Eve" } };
    expect(state).toMatchObject({ answer: "Done.", intermediateSteps: [{ results: [result] }] });
    expect(paid.length).toBeLessThanOrEqual(1);
  });

  it.each([
    ["refuse", "refuse", []],
    [undefined, "approve", ["5 to Ann"]],
  ] as const)("that was taken gives way to %s, if its call was not made: %s", async (next, type, made) => {
    const checkpointer = new MemorySaver();
    const agent = agentWith([calls(payCall("Ann")), "Done."], { checkpointer });
    const [{ id = "" } = {}] = await asked(agent);
    const put = checkpointer.putWrites.bind(checkpointer);
    checkpointer.putWrites = async (config, writes, task) => {
      if (writes.some(([channel]) => channel === BEGUN_CHANNEL)) throw new Error("The disk is full.");
      return put(config, writes, task);
    };
    await expect(agent.invoke(decide({ [id]: "approve" }), thread)).rejects.toThrow("The disk is full.");
    checkpointer.putWrites = put;
    const state = await agent.invoke(next ? decide({ [id]: next }) : null, thread);
    expect(state).toMatchObject({ answer: "Done.", intermediateSteps: [{ results: [{ decision: { type } }] }] });
    expect(paid).toEqual(made);
  });

  it("is asked for again if its step runs again from the past", async () => {
    const agent = agentWith([calls(payCall("Ann")), "Done.", "Done again."]);
    const [request] = await asked(agent);
    const before = (await agent.getState(thread)).config;
    await agent.invoke(decide({ [request?.id ?? ""]: "approve" }), thread);
    expect(approvalRequests(await agent.invoke(null, before))).toHaveLength(1);
    expect(paid).toHaveLength(1);
  });

  it("for a call that was changed since then is not accepted", async () => {
    const agent = agentWith([calls(payCall("Ann")), "Done."]);
    const [request] = await asked(agent);
    const decision = decisionSchema.parse((await agent.getState(thread)).values.decision);
    if (decision.kind !== "action") throw new Error("There is no action.");
    const actions = decision.actions.map((action) => ({ ...action, toolInput: { to: "Eve", amount: 5000 } }));
    await agent.updateState(thread, { decision: { ...decision, actions } }, "parse");
    const decided = agent.invoke(decide({ [request?.id ?? ""]: "approve" }), thread);
    await expect(decided).rejects.toThrow(/was stopped, and agent\.invoke\(null, config\) resumes it/);
    expect(paid).toEqual([]);
    const state = await agent.invoke(null, thread);
    expect(approvalRequests(state)).toMatchObject([{ input: { to: "Eve", amount: 5000 } }]);
  });
});

it("an interrupt of an older version, without notes of its calls, accepts a decision", async () => {
  const older = new MemorySaver();
  const put = older.putWrites.bind(older);
  older.putWrites = (config, writes, task) => {
    const left = writes.map(([channel, value]): (typeof writes)[number] => {
      return [channel, channel === PAUSE_CHANNEL ? { ...Object(value), calls: undefined } : value];
    });
    return put(config, left, task);
  };
  const agent = agentWith([calls(payCall("Ann")), "Done."], { checkpointer: older });
  const [request] = await asked(agent);
  expect(await agent.invoke(decide({ [request?.id ?? ""]: "approve" }), thread)).toMatchObject({ answer: "Done." });
  expect(paid).toEqual(["5 to Ann"]);
});

it("LangChain's form is shown and accepted", async () => {
  const agent = agentWith([calls(payCall("Ann"), payCall("Bob")), "Done."]);
  const [question] = interrupts(await agent.invoke({ messages: "Do it." }, thread));
  const action = { name: "pay", args: { to: "Ann", amount: 5 } };
  expect(question?.value).toMatchObject({
    actionRequests: [action, { name: "pay" }],
    reviewConfigs: [
      { actionName: "pay", allowedDecisions: ["approve", "edit", "reject", "respond"] },
      { actionName: "pay" },
    ],
    action_requests: [action, { name: "pay" }],
    review_configs: [
      { action_name: "pay", allowed_decisions: ["approve", "edit", "reject", "respond"] },
      { action_name: "pay" },
    ],
  });
  const decisions = [
    { type: "edit", edited_action: { name: "pay", args: { to: "Ann", amount: 2 } } },
    { type: "reject", message: "Not Bob." },
  ];
  const state = await agent.invoke(new Command({ resume: { decisions } }), thread);
  expect(paid).toEqual(["2 to Ann"]);
  expect(observations(state)[1]).toContain("refused this call of pay: Not Bob.");
});

it("the words of LangChain's pages are accepted", async () => {
  const [request] = await asked(agentWith([calls(payCall("Ann"))]));
  if (request === undefined) throw new Error("Nobody was asked.");
  const input = edit.args;
  const words: [unknown, object][] = [
    [{ type: "accept", args: null }, { type: "approve" }],
    [[{ type: "approve" }], { type: "approve" }],
    [{ type: "accept", args: { action: "pay", args: {} } }, { type: "approve" }],
    [[{ type: "ignore", args: null }], { type: "refuse" }],
    [{ decisions: [{ type: "respond", message: "Paid before." }] }, { type: "answer", answer: "Paid before." }],
    [[{ type: "response", args: "Paid before." }], { type: "answer", answer: "Paid before." }],
    [[{ type: "edit", args: { action: "pay", args: input } }], { type: "edit", input }],
    [{ decisions: [{ type: "edit", editedAction: edit }] }, { type: "edit", input }],
    [{ [request.id]: { type: "reject" } }, { type: "refuse" }],
    [decide(Object({ [request.id]: "reject" })).resume, { type: "refuse" }],
  ];
  for (const [answer, decision] of words)
    expect(readDecisions([request], answer).decided.get(request.id)).toMatchObject(decision);
});

describe("the question of a model to a person", () => {
  const call = { name: "ask_human", args: { question: "When?" } };
  const askWhen = () => agentWith([calls(call), "Done."], { tools: [askHuman()] });

  it("is shown to chat pages with a field for the answer", async () => {
    const state = await askWhen().invoke({ messages: "Do it." }, thread);
    expect(approvalRequests(state)).toMatchObject([{ input: call.args, allowed: ["answer", "refuse"] }]);
    const allowed = ["respond", "reject", "edit"];
    expect(interrupts(state)[0]?.value).toMatchObject({
      reviewConfigs: [{ actionName: "ask_human", allowedDecisions: allowed }],
      review_configs: [{ action_name: "ask_human", allowed_decisions: allowed }],
    });
  });

  it("is asked again until an answer comes, which may be words over the question", async () => {
    const agent = askWhen();
    await asked(agent);
    const writing = (question: string) => {
      const decisions = [{ type: "edit", edited_action: { name: "ask_human", args: { question } } }];
      return agent.invoke(new Command({ resume: { decisions } }), thread);
    };
    const [unchanged] = approvalRequests(await writing("When?"));
    expect(unchanged?.complaint).toBe("There is no answer. Write it in the place of the question.");
    const [approved] = approvalRequests(await agent.invoke(decide({ [unchanged?.id ?? ""]: "approve" }), thread));
    expect(approved?.complaint).toBe(
      'The decision "approve" is not possible for this action. Possible are: answer, refuse.',
    );
    const answered = { observation: "At 8.", decision: { type: "answer", answer: "At 8." } };
    expect((await writing("At 8.")).intermediateSteps[0]?.results).toMatchObject([answered]);
  });

  it("is answered by a text alone", async () => {
    const agent = askWhen();
    await asked(agent);
    expect(observations(await agent.invoke(new Command({ resume: "At 8." }), thread))).toEqual(["At 8."]);
  });

  it("does not accept plain text beside another call", async () => {
    const agent = agentWith([calls(call, payCall("Ann")), "Done."], { tools: [askHuman(), pay] });
    await asked(agent);
    expect(approvalRequests(await agent.invoke(new Command({ resume: "At 8." }), thread))).toHaveLength(2);
  });
});

const pageSchema = z.object({
  action_requests: z.array(z.object({ name: z.string(), args: z.record(z.string(), z.unknown()) })).min(1),
  review_configs: z.array(z.object({ action_name: z.string(), allowed_decisions: z.array(z.string()) })).min(1),
});

// The package of LangGraph brings its SDK along. Beside its lowest release there is none.
const sdk = await import("@langchain/langgraph-sdk/ui").catch(() => undefined);
const hasSdk = needs(sdk !== undefined, "Chat pages are not tried: this LangGraph has no SDK for them.");

it.runIf(hasSdk)("a chat page can show it, with and without the SDK's renaming", async () => {
  const { normalizeHitlInterruptPayload, normalizeHitlResponseForServer } = sdk ?? expect.fail();
  const agent = agentWith([calls(payCall("Ann")), "Done."]);
  const [question] = interrupts(await agent.invoke({ messages: "Pay." }, thread));
  for (const value of [question?.value, normalizeHitlInterruptPayload(question?.value)]) {
    expect(pageSchema.parse(value)).toEqual({
      action_requests: [{ name: "pay", args: { to: "Ann", amount: 5 } }],
      review_configs: [{ action_name: "pay", allowed_decisions: ["approve", "edit", "reject", "respond"] }],
    });
  }
  // The page draws the form below the last message, if that is the model's.
  expect((await agent.getState(thread)).values.messages.at(-1)).toMatchObject({ tool_calls: [{ name: "pay" }] });
  const edited = {
    type: "edit",
    edited_action: { name: "pay", args: { to: "Ann", amount: "5" } },
    acceptAllowed: true,
  };
  const resume = normalizeHitlResponseForServer({ decisions: [edited] });
  expect(observations(await agent.invoke(new Command({ resume }), thread))).toEqual(["paid 5 to Ann"]);
});
