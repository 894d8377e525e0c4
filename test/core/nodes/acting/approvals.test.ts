import { tool } from "@langchain/core/tools";
import { Command, INTERRUPT, interrupt, isInterrupted, MemorySaver } from "@langchain/langgraph";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { PAUSE_CHANNEL } from "../../../../src/core/run/notes.js";
import { decisionSchema } from "../../../../src/core/state/decision.js";
import {
  type AgentOptions,
  approvalRequests,
  askHuman,
  createAgent,
  decide,
  InvalidOptionError,
  streamTurn,
} from "../../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../../src/testing/index.js";
import { allOf, stepsIn } from "../../../helpers/turn-events.js";

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
    [({ name }) => name === "look", ["look"]],
    [async ({ input }) => (input.amount === 5 ? "Five is much." : false), ["pay"]],
    [({ state }) => (state.turn.asked === "Do it." ? [] : []).length > 0, []],
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

  it("shows a text that the schema turns into a number as that number", async () => {
    expect(await asked(agentWith([calls(payCall("Ann", "5"))]))).toMatchObject([{ input: { to: "Ann", amount: 5 } }]);
  });

  it.each([
    ["refuse", []],
    ["approve", ["5 to Ann"]],
  ] as const)(
    "is kept for a waiting call, if an agent that never asks gets the decision %s",
    async (decision, done) => {
      const checkpointer = new MemorySaver();
      const [request] = await asked(agentWith([calls(payCall("Ann"))], { checkpointer }));
      const lax = agentWith(["Done."], { checkpointer, approve: "never" });
      expect(approvalRequests(await lax.invoke(null, thread))).toEqual([request]);
      const state = await lax.invoke(decide({ [request?.id ?? ""]: decision }), thread);
      expect([state.answer, paid]).toEqual(["Done.", done]);
    },
  );

  it("must be one of the policies", () => {
    const misspelt = { model: scriptedModel([]), approve: "allways" };
    // @ts-expect-error: it is misspelt.
    expect(() => createAgent(misspelt)).toThrow(InvalidOptionError);
  });

  it("needs a checkpointer, and says so", async () => {
    const model = scriptedModel([calls(payCall("Ann"))]);
    const agent = createAgent({ model, tools: [pay], protocol: "tool-calling", approve: "always" });
    await expect(agent.invoke({ messages: "Do it." })).rejects.toThrow(/a person is asked, .* give .*checkpointer/);
    expect(paid).toEqual([]);
  });
});

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
    expect(observations(state)).toEqual([
      "paid 5 to Ann",
      "A person refused this call of pay: He is rich. The tool did not run. Do not make the same call again. Find another way, or give the final answer and say what was refused.",
      "paid 1 to Cid",
      "Dan has money.",
    ]);
    expect(state.intermediateSteps[0]?.results.map(({ note }) => note)).toEqual([
      undefined,
      undefined,
      'You called pay with {"to":"Cid","amount":5}. A person changed the input to {"to":"Cid","amount":1}. The result is for that input.',
      undefined,
    ]);
    expect(state.intermediateSteps[0]?.results.map(({ decision, status }) => [decision?.type, status])).toEqual([
      ["approve", "success"],
      ["refuse", "error"],
      ["edit", "success"],
      ["answer", "success"],
    ]);
    const called = state.messages.flatMap((message) => ("tool_call_id" in message ? [message.tool_call_id] : []));
    expect(called).toEqual(["call_1", "call_2", "call_3", "call_4"]);
    expect(state.intermediateSteps[0]?.results.map(({ action }) => action.id)).toEqual([
      ann.id,
      bob.id,
      cid.id,
      dan.id,
    ]);
    expect(model.calls.at(-1)?.prompt).toContain("He is rich");
  });

  it("may come for some calls; the others are asked about again", async () => {
    const agent = agentWith([calls(payCall("Ann"), payCall("Bob")), "Done."]);
    const [ann, bob] = await asked(agent);
    const left = approvalRequests(await agent.invoke(decide({ [bob?.id ?? ""]: "approve" }), thread));
    expect(left.map(({ id }) => id)).toEqual([ann?.id]);
    expect(paid).toEqual([]);
    const state = await agent.invoke(decide({ [ann?.id ?? ""]: "refuse" }), thread);
    expect(paid).toEqual(["5 to Bob"]);
    expect(state.answer).toBe("Done.");
  });

  const wrong: [string, (id: string) => unknown, { complaint?: RegExp; complaints?: RegExp }][] = [
    [
      "a word",
      () => "yes",
      { complaints: /The answer was "yes"\. Give a decision for the id of each action, such as/ },
    ],
    ["true", () => true, { complaints: /The answer was true\./ }],
    ["an empty object", () => ({}), { complaints: /The answer was empty\./ }],
    ["an empty list", () => [], {}],
    [
      "too many of LangChain's",
      () => ({ decisions: [{ type: "approve" }, { type: "approve" }] }),
      {
        complaints: /The answer had 2 decisions for 1 actions, so none was accepted\./,
      },
    ],
    [
      "misspelt",
      (id) => ({ [id]: "aprove" }),
      { complaint: /The decision was not understood: .* Possible are: approve/ },
    ],
    [
      "an edit that the schema refuses",
      (id) => ({ [id]: { type: "edit", input: { to: "Ann", amount: "much" } } }),
      {
        complaint: /The new input does not fit pay\. "amount": .* The tool takes/,
      },
    ],
    [
      "stale",
      (id) => ({ [id]: { type: "approve", digest: "0123456789abcdef" } }),
      {
        complaint: /The decision was made about another input of this action\./,
      },
    ],
    [
      "an edit of another tool",
      () => ({ decisions: [{ type: "edit", editedAction: { name: "look", args: {} } }] }),
      {
        complaint: /not understood/,
      },
    ],
  ];
  it.each(wrong)("that is %s is refused, and the calls are asked about again", async (_name, resume, expected) => {
    const agent = agentWith([calls(payCall("Ann")), "Done."]);
    const [request] = await asked(agent);
    const id = request?.id ?? "";
    const state = await agent.invoke(new Command({ resume: resume(id) }), thread);
    expect(paid).toEqual([]);
    const [again] = approvalRequests(state);
    expect(again?.id).toBe(id);
    const { complaints } = z.object({ complaints: z.array(z.string()) }).parse(interrupts(state)[0]?.value);
    if (expected.complaint) expect(again?.complaint).toMatch(expected.complaint);
    if (expected.complaints) expect(complaints.join()).toMatch(expected.complaints);
    expect((await agent.invoke(decide({ [id]: "approve" }), thread)).answer).toBe("Done.");
    expect(paid).toEqual(["5 to Ann"]);
  });

  it("that is not possible for the tool is refused, and the call is asked about again", async () => {
    const agent = agentWith([calls({ name: "ask_human", args: { question: "When?" } }), "Done."], {
      tools: [askHuman()],
    });
    const [question] = await asked(agent);
    expect(question).toMatchObject({ input: { question: "When?" }, allowed: ["answer", "refuse"] });
    const id = question?.id ?? "";
    const [again] = approvalRequests(await agent.invoke(decide({ [id]: "approve" }), thread));
    expect(again?.complaint).toBe(
      'The decision "approve" is not possible for this action. Possible are: answer, refuse.',
    );
    const state = await agent.invoke(decide({ [id]: { type: "answer", answer: "At 8." } }), thread);
    expect(observations(state)).toEqual(["At 8."]);
  });

  it("is validated by decide", () => {
    // @ts-expect-error: it is misspelt.
    expect(() => decide({ a: "aprove" })).toThrow(InvalidOptionError);
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
  const older = new (class extends MemorySaver {
    override putWrites(...[config, writes, task]: Parameters<MemorySaver["putWrites"]>) {
      const left = writes.map(([channel, value]): (typeof writes)[number] => {
        const isPause = channel === PAUSE_CHANNEL;
        return [
          channel,
          isPause ? Object.fromEntries(Object.entries(Object(value)).filter(([key]) => key !== "calls")) : value,
        ];
      });
      return super.putWrites(config, left, task);
    }
  })();
  const agent = agentWith([calls(payCall("Ann")), "Done."], { checkpointer: older });
  const [request] = await asked(agent);
  expect(await agent.invoke(decide({ [request?.id ?? ""]: "approve" }), thread)).toMatchObject({ answer: "Done." });
  expect(paid).toEqual(["5 to Ann"]);
});

it("the interrupt of a tool keeps the result of a finished sibling call, with any checkpointer", async () => {
  let looks = 0;
  const count = tool(() => `look ${++looks}`, { name: "count", description: "Counts.", schema: z.object({}) });
  const sure = tool(() => `they said ${interrupt("Sure?")}`, {
    name: "sure",
    description: "Asks.",
    schema: z.object({}),
  });
  const agent = agentWith([calls({ name: "sure", args: {} }, { name: "count", args: {} }), "Done."], {
    tools: [count, sure],
  });
  const [question] = interrupts(await agent.invoke({ messages: "Do it." }, thread));
  expect(question?.value).toBe("Sure?");
  expect((await agent.getState(thread)).next).toEqual(["act"]);
  const state = await agent.invoke(new Command({ resume: "yes" }), thread);
  expect(observations(state)).toEqual(["they said yes", "look 1"]);
});

it("streamTurn yields each request and each decision once", async () => {
  const agent = agentWith([calls(payCall("Ann"), payCall("Bob")), "Done."]);
  const events = async (input: Parameters<typeof streamTurn>[1]) => {
    return stepsIn(await allOf(streamTurn(agent, input, thread)));
  };
  const first = await events({ messages: "Do it." });
  expect(first.map(({ type }) => type)).toEqual(["question", "thought", "action", "action", "approval"]);
  const [ann, bob] = approvalRequests(await agent.getState(thread));
  const second = await events(decide({ [ann?.id ?? ""]: "approve" }));
  expect(second.map(({ type }) => type)).toEqual(["decision", "approval"]);
  const third = await events(decide({ [bob?.id ?? ""]: "refuse" }));
  expect(third.map(({ type }) => type)).toEqual(["decision", "observation", "observation", "answer"]);
  expect(third[0]).toMatchObject({ type: "decision", id: bob?.id, decision: { type: "refuse" } });
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

const edit = { name: "pay", args: { to: "Ann", amount: 2 } };

it.each<[string, unknown, string[], RegExp]>([
  ["accept", { type: "accept", args: null }, ["5 to Ann"], /paid 5/],
  ["approve in a list", [{ type: "approve" }], ["5 to Ann"], /paid 5/],
  ["a decision alone", { type: "accept", args: { action: "pay", args: {} } }, ["5 to Ann"], /paid 5/],
  ["ignore", [{ type: "ignore", args: null }], [], /^A person refused this call of pay\./],
  ["reject", { decisions: [{ type: "reject", message: "No." }] }, [], /refused this call of pay: No\./],
  ["respond", { decisions: [{ type: "respond", message: "Paid before." }] }, [], /^Paid before\.$/],
  ["response", [{ type: "response", args: "Paid before." }], [], /^Paid before\.$/],
  ["the edit of the inbox", [{ type: "edit", args: { action: "pay", args: edit.args } }], ["2 to Ann"], /paid 2/],
  ["editedAction", { decisions: [{ type: "edit", editedAction: edit }] }, ["2 to Ann"], /paid 2/],
])("the words of LangChain's pages are accepted: %s", async (_name, resume, done, shown) => {
  const agent = agentWith([calls(payCall("Ann")), "Done."]);
  await asked(agent);
  expect(observations(await agent.invoke(new Command({ resume }), thread))[0]).toMatch(shown);
  expect(paid).toEqual(done);
});

it.each(["reject", "ignore", "accept"])(
  "the word %s is accepted by decide and by the id of the call, too",
  async (word) => {
    const agent = agentWith([calls(payCall("Ann"), payCall("Bob")), "Done."]);
    const [ann, bob] = await asked(agent);
    await agent.invoke(decide(Object({ [ann?.id ?? ""]: word })), thread);
    await agent.invoke(new Command({ resume: { [bob?.id ?? ""]: { type: word } } }), thread);
    expect(paid).toEqual(word === "accept" ? ["5 to Ann", "5 to Bob"] : []);
  },
);

it("an approval with an edit is refused, and the call is asked about again", async () => {
  const agent = agentWith([calls(payCall("Ann")), "Done."]);
  await asked(agent);
  const resume = { decisions: [{ type: "approve", edited_action: edit }] };
  const [again] = approvalRequests(await agent.invoke(new Command({ resume }), thread));
  expect(again?.complaint).toMatch(/not understood: .*edited_action.* Possible are: approve, edit, refuse, answer/);
  expect(paid).toEqual([]);
});

describe("the question of a model to a person", () => {
  const askWhen = () =>
    agentWith([calls({ name: "ask_human", args: { question: "When?" } }), "Done."], { tools: [askHuman()] });
  const writtenOver = (question: string) => ({ name: "ask_human", args: { question } });

  it("is shown to chat pages with a field for the answer", async () => {
    const [question] = interrupts(await askWhen().invoke({ messages: "Do it." }, thread));
    const allowed = ["respond", "reject", "edit"];
    expect(question?.value).toMatchObject({
      reviewConfigs: [{ actionName: "ask_human", allowedDecisions: allowed }],
      review_configs: [{ action_name: "ask_human", allowed_decisions: allowed }],
    });
  });

  it.each<[string, unknown]>([
    ["a text alone", "At 8."],
    ["respond", { decisions: [{ type: "respond", message: "At 8." }] }],
    ["response", [{ type: "response", args: "At 8." }]],
    ["words over the question", { decisions: [{ type: "edit", edited_action: writtenOver("At 8.") }] }],
  ])("is answered by %s", async (_name, resume) => {
    const agent = askWhen();
    await asked(agent);
    const state = await agent.invoke(new Command({ resume }), thread);
    expect(observations(state)).toEqual(["At 8."]);
    expect(state.intermediateSteps[0]?.results[0]?.decision).toMatchObject({ type: "answer", answer: "At 8." });
  });

  it("is asked again if it comes back unchanged", async () => {
    const agent = askWhen();
    await asked(agent);
    const resume = { decisions: [{ type: "edit", edited_action: writtenOver("When?") }] };
    const [again] = approvalRequests(await agent.invoke(new Command({ resume }), thread));
    expect(again?.complaint).toBe("There is no answer. Write it in the place of the question.");
  });

  it("does not accept plain text beside another call", async () => {
    const question = { name: "ask_human", args: { question: "When?" } };
    const agent = agentWith([calls(question, payCall("Ann")), "Done."], { tools: [askHuman(), pay] });
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

it.skipIf(!sdk)("a chat page can show it, with and without the SDK's renaming, in each turn", async () => {
  const { normalizeHitlInterruptPayload, normalizeHitlResponseForServer } = sdk ?? expect.fail();
  const agent = agentWith([calls(payCall("Ann")), "Done.", calls(payCall("Bob")), "Done."], { rephrase: false });
  for (const [name, to] of ["Ann", "Bob"].entries()) {
    const [question] = interrupts(await agent.invoke({ messages: `Pay ${name}.` }, thread));
    for (const value of [question?.value, normalizeHitlInterruptPayload(question?.value)]) {
      expect(pageSchema.parse(value)).toEqual({
        action_requests: [{ name: "pay", args: { to, amount: 5 } }],
        review_configs: [{ action_name: "pay", allowed_decisions: ["approve", "edit", "reject", "respond"] }],
      });
    }
    // The page draws the form below the last message, if that is the model's.
    expect((await agent.getState(thread)).values.messages.at(-1)).toMatchObject({ tool_calls: [{ name: "pay" }] });
    const edited = { type: "edit", edited_action: { name: "pay", args: { to, amount: "5" } }, acceptAllowed: true };
    const resume = normalizeHitlResponseForServer({ decisions: [edited] });
    const state = await agent.invoke(new Command({ resume }), thread);
    expect(observations(state)).toEqual([`paid 5 to ${to}`]);
  }
});

it("the call is in the messages while it waits, with one observation for it afterwards", async () => {
  const agent = agentWith([calls(payCall("Ann")), "Done."]);
  const [request] = await asked(agent);
  const types = async () => (await agent.getState(thread)).values.messages.map(({ type }: { type: string }) => type);
  expect(await types()).toEqual(["human", "ai"]);
  await agent.invoke(decide({ [request?.id ?? ""]: "refuse" }), thread);
  expect(await types()).toEqual(["human", "ai", "tool", "ai"]);
});
