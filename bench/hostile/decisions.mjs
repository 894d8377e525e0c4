// Calls that people and functions judge. Nothing may run that was not judged, and nothing of it may stay unseen.
import { DynamicStructuredTool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { z } from "zod";
import { StepLines } from "../../dist/cli/screen/step-lines.js";
import { approvalRequests, createAgent, decide } from "../../dist/index.js";
import { scriptedModel } from "../../dist/testing/index.js";

const unseen = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\u2028\u2029]|\p{Default_Ignorable_Code_Point}/gu;
const plain = new Proxy({}, { get: () => (text) => text });
const config = { configurable: { thread_id: "t" } };

/** The fields that get another value each time. */
const drawing = new WeakSet();

/** Ways in which a schema makes something else of an input, for the field `to` and for the field `amount`. */
function fieldsOf({ pick, number }) {
  const drawn = () => Math.floor(number() * 1e9);
  const to = [
    z.string(),
    z.string().default("eve"),
    z.string().catch("eve"),
    z.string().toLowerCase().trim(),
    z.string().transform((text) => text.split(",")),
    z.string().transform((text) => new Map([[text, drawn()]])),
    z.string().transform((text) => ({ name: text, key: drawn() })),
    z.string().refine(async () => number() < 0.7),
    z.string().default(() => `eve ${drawn()}`),
  ];
  const amount = [
    z.number(),
    z.number().default(1_000_000),
    z.number().catch(1_000_000),
    z.number().default(drawn),
    z.number().transform((value) => value * 1000),
    z.number().transform((value) => value + drawn()),
    z.union([z.number(), z.string().transform(Number)]),
    z.number().transform((value) => new Date(value)),
  ];
  for (const field of [to[5], to[6], to[8], amount[3], amount[5]]) drawing.add(field);
  return { to: pick(to), amount: pick(amount) };
}

const hiding = (letter) => String.fromCodePoint(0xe0100 + letter.charCodeAt(0) - 16);
const payloads = [
  [..."password=hunter2"].map(hiding).join(""),
  "\u034f\u3164\u115f\u1160\uffa0",
  "\u180b\u180c\u180e",
  "\u007f\u009b\u0085\u001b",
  "\u{e0041}\u{e0042}\u200b\u2060",
  "\u202e\u2066\u2028  Why: nothing\u2029",
];

/** Policies as people write them by mistake. Each means to ask about `pay`. */
const policies = [
  ({ tool }) => tool === "pay",
  ({ tool }) => ["pay"].includes(tool),
  ({ tool }) => tool?.name === "pay",
  (call) => call.tool === "pay" && call.input.amount > 0,
  ({ name }) => name === "pay" || undefined,
  ({ name }) => (name === "pay" ? 0 : 1),
  ({ name }) => (name === "pay" ? null : true),
  async ({ name }) => ({ ask: name === "pay" }),
  () => {
    throw new Error("The rules are lost.");
  },
];

/** Lets people decide about calls with hidden arguments, again and again. Another process may take the decision. */
export async function decisions(chance, report, count = 1500) {
  const figures = { judged: 0, ran: 0, refused: 0, unshown: 0, undecided: 0, hidden: 0, escaped: 0, errors: 0 };
  const { pick, number, whole } = chance;
  for (let item = 0; item < count; item += 1) {
    const payload = number() < 0.3 ? pick(payloads) : "";
    const fields = fieldsOf(chance);
    const gets = [];
    const schema = z.object(fields);
    const func = async (input) => `paid ${gets.push(JSON.stringify(input, named))}`;
    const pay = new DynamicStructuredTool({
      name: "pay",
      description: "Pays.",
      schema,
      func,
      metadata: { effects: true },
    });
    const args = { ...(number() < 0.6 && { to: `Ann${payload}` }), ...(number() < 0.6 && { amount: whole(100) }) };
    if (number() < 0.2) args.cc = "eve";
    const replies = [{ tool_calls: [{ name: "pay", args }] }, "Done."];
    const checkpointer = new MemorySaver();
    const agentWith = (script, approve) => {
      const model = scriptedModel(script);
      return createAgent({ model, tools: [pay], approve, checkpointer, rephrase: false });
    };
    try {
      const byFunction = number() < 0.3;
      let judged;
      const judge = ({ input }) => {
        judged = JSON.stringify(input, named);
        return number() < 0.5;
      };
      const approve = byFunction ? judge : "effects";
      let state = await agentWith(replies, approve).invoke({ messages: "Pay." }, config);
      let shown = [];
      for (let asked = 0; asked < 6; asked += 1) {
        const [request] = approvalRequests(state);
        if (request === undefined) break;
        figures.judged += 1;
        shown = [JSON.stringify(request.input, named), request.note ?? ""];
        if (gets.length > 0) figures.undecided += 1;
        figures.hidden += hiddenIn(state, request);
        const edit = { type: "edit", input: { ...args, amount: whole(9) } };
        const decision = pick(["approve", "approve", "approve", "refuse", edit]);
        if (decision.type === "edit") shown.push(JSON.stringify(edit.input, named));
        // Each time another process takes the decision.
        state = await agentWith(["Done."], pick(["effects", "never"])).invoke(
          decide({ [request.id]: decision }),
          config,
        );
        if (decision === "refuse" && gets.length > 0) figures.undecided += 1;
      }
      // What a function lets pass may draw anew: nobody was shown another input.
      if (judged !== undefined && shown.length === 0 && !drawing.has(fields.to) && !drawing.has(fields.amount))
        shown = [judged];
      for (const got of gets) {
        figures.ran += 1;
        if (shown.length > 0 && !wasShown(got, shown)) figures.unshown += 1;
      }
      if (gets.length === 0) figures.refused += 1;
    } catch (error) {
      figures.errors += 1;
      report.note(error.message);
    }
  }
  for (const approve of policies) figures.escaped += await paidUnder(approve);
  report.figure(`of ${figures.ran} calls that ran, with what nobody was shown`, figures.unshown, 0);
  report.figure(`of ${figures.judged} questions, with a call that had run or was refused`, figures.undecided, 0);
  report.figure("unseen signs in questions: terminal, and LangChain's text", figures.hidden, 0);
  report.figure(`of ${policies.length} mistaken policies, those that let a call pass`, figures.escaped, 0);
  report.figure("runs that failed", figures.errors, 0);
  report.note(`${figures.refused} of ${count} calls did not run`);
}

/** Fields in the order of their names, and a map as a list. */
function named(_key, value) {
  if (value instanceof Map) return [...value];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Tells whether a tool got what was shown. Of what JSON cannot say, each number must stand in the note. */
function wasShown(got, shown) {
  if (shown.includes(got)) return true;
  const dates = got.replaceAll(/"(\d{4}-[^"]+Z)"/g, "$1");
  return (dates.match(/\d{4}-[\d:T.-]+Z|\d+/g) ?? []).every((word) => shown.some((text) => text.includes(word)));
}

function hiddenIn(state, request) {
  const [{ value }] = state.__interrupt__;
  const question = { type: "approval", interrupt: "i", requests: [request], complaints: [] };
  const texts = [new StepLines(plain).of(question), ...value.action_requests.map(({ description }) => description)];
  const raw = JSON.stringify(request.input).match(unseen) ?? [];
  const isNamed = raw.length === 0 || /invisible characters/.test(request.note ?? "");
  return texts.reduce((sum, text) => sum + (text.match(unseen) ?? []).length, 0) + (isNamed ? 0 : 1);
}

/** Runs a call of `pay` under a policy. Returns 1 if it was made although nobody was asked. */
async function paidUnder(approve) {
  const paid = [];
  const func = async (input) => `paid ${paid.push(input)}`;
  const schema = z.object({ amount: z.number() });
  const pay = new DynamicStructuredTool({
    name: "pay",
    description: "Pays.",
    schema,
    func,
    metadata: { effects: true },
  });
  const model = scriptedModel([{ tool_calls: [{ name: "pay", args: { amount: 900 } }] }, "Done."]);
  const agent = createAgent({ model, tools: [pay], approve, checkpointer: new MemorySaver() });
  await agent.invoke({ messages: "Pay." }, config).catch(() => {});
  return paid.length;
}
