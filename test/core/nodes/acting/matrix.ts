import { tool } from "@langchain/core/tools";
import { Command, interrupt, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { readApproval } from "../../../../src/core/state/approval.js";
import { type Agent, type ApprovalRequest, createAgent, hasCode } from "../../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../../src/testing/index.js";
import { pick } from "../../../helpers/random.js";
import { dialect } from "../../../matrix/dialects.js";

/** Ways in which a call comes to ask: never, by the agent's policy, by the tool itself once or twice, or both. */
const asks = ["free", "policy", "own", "twice", "both"] as const;

/** Number of questions that the tool of a call asks by itself. */
const ownQuestions = { free: 0, policy: 0, own: 1, twice: 2, both: 1 } as const;

/**
 * Places of the agent whose calls ask: alone, as a node of a graph, in a tool of another agent, in a tool of an agent in a
 * tool, and in two tools of one step, each with an agent that makes a part of the calls.
 */
const depths = ["alone", "node", "tool", "two tools deep", "two tools of a step"] as const;

/** Forms of an answer. */
const forms = ["bare", "by id"] as const;

interface Call {
  readonly name: string;
  readonly ask: (typeof asks)[number];
  readonly delay: number;
}

/** A combination of what can come together in one step. */
export interface Cell {
  readonly calls: readonly Call[];
  readonly protocol: "tool-calling" | "react" | "structured-chat";
  readonly depth: (typeof depths)[number];
  readonly form: (typeof forms)[number];
  readonly effects: boolean;
}

/** Draws a combination. Only native calls of an agent can be several. */
export function drawCell(random: () => number): Cell {
  const protocol = pick(["tool-calling", "tool-calling", "tool-calling", "react", "structured-chat"] as const, random);
  const depth = pick(depths, random);
  const agents = depth === "two tools of a step" ? 2 : 1;
  const count = agents * (protocol === "tool-calling" ? pick([1, 2, 2, 3, 3], random) : 1);
  const calls = Array.from({ length: count }, (_, n) => ({
    name: `call${n}`,
    ask: pick(asks, random),
    delay: pick([0, 0, 3, 9], random),
  }));
  return { calls, protocol, depth, form: pick(forms, random), effects: random() < 0.5 };
}

/** The reply that makes calls. */
function replyOf(protocol: Cell["protocol"], calls: readonly Call[]): ScriptedReply {
  const [{ name } = { name: "" }] = calls;
  if (protocol !== "tool-calling") return dialect(protocol).act(name, { to: name });
  return { content: "I act", tool_calls: calls.map(({ name }) => ({ name, args: { to: name } })) };
}

/** What a person said about a call. */
type Said = { readonly type: "approve" | "refuse" | "edit" | "answer"; readonly input?: string };

/** What the test needs of a graph, whatever its state. */
interface Graph {
  invoke(input: Input, config: Config): Promise<object>;
  getState(config: Config): Promise<{ readonly next: readonly string[] }>;
}

type Input = { messages: string } | Command<unknown, Record<string, never>, never> | null;

const answering = (resume: unknown) => new Command<unknown, Record<string, never>, never>({ resume });

interface Config {
  readonly configurable: { readonly thread_id: string };
}

const stopped = z.object({ __interrupt__: z.array(z.object({ id: z.string(), value: z.unknown() })).optional() });

/** Returns the questions that wait after a run. */
const waiting = (state: object) => stopped.parse(state).__interrupt__;

/** Runs a cell to its end, with answers drawn at random. Returns what happened and what should have. */
export async function runCell(cell: Cell, checkpointer: BaseCheckpointSaver, random: () => number, thread: string) {
  const ran: string[] = [];
  const decided = new Map<string, Said>();
  const ownAnswers = new Map<string, string[]>();
  const problems: string[] = [];
  const { graph, models } = graphOf(cell, checkpointer, ran);
  const config = { configurable: { thread_id: thread } };

  let pending: ReturnType<typeof waiting>;
  const run = async (input: Input) => {
    // An agent refuses an answer to another question. A graph around it does not look at the answer.
    const refused = (error: unknown) =>
      hasCode(error, "not-waiting") ? { __interrupt__: pending } : Promise.reject(error);
    return waiting(await graph.invoke(input, config).catch(refused));
  };
  pending = await run({ messages: "Do it." });
  for (let turn = 0; pending && turn < 60; turn += 1) {
    if (pending.length !== 1) problems.push(`${pending.length} interrupts at once`);
    const [question] = pending;
    if (question === undefined) throw new Error("There is an empty list of interrupts.");
    if ((await graph.getState(config)).next.length === 0) problems.push("getState says that nothing is next");
    if (random() < 0.15) {
      // A run that brings no answer, or one for another question, changes nothing. In a graph around the agent LangGraph
      // gives an earlier answer without an id to a run without input once more.
      const nothing = random() < 0.5 && cell.depth !== "node" ? null : answering({ ["0".repeat(32)]: "yes" });
      const still = await run(nothing);
      if (JSON.stringify(still) !== JSON.stringify(pending)) problems.push("asked something else");
    }
    const answer = answerTo(question.value, random, { decided, ownAnswers });
    pending = await run(answering(cell.form === "bare" ? answer : { [question.id]: answer }));
  }
  if (pending) problems.push("never ended");
  if (models.some(({ calls }) => calls.length !== 2)) problems.push("a model was not asked twice");
  return { ran: ran.toSorted(), expected: expectedRuns(cell, decided, ownAnswers).toSorted(), problems };
}

function graphOf(cell: Cell, checkpointer: BaseCheckpointSaver, ran: string[]) {
  const tools = cell.calls.map(({ name, ask, delay }) =>
    tool(
      async ({ to }) => {
        if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
        for (let n = 0; n < ownQuestions[ask]; n += 1) {
          if (interrupt({ sure: name, n }) !== "yes") return `${name} did nothing`;
        }
        ran.push(`${name}(${to})`);
        return `${name} did ${to}`;
      },
      {
        name,
        description: `Does ${name}.`,
        schema: z.object({ to: z.string() }),
        metadata: {
          ...(cell.effects && { effects: true }),
          ...((ask === "policy" || ask === "both") && { approve: true }),
        },
      },
    ),
  );
  const models: ReturnType<typeof scriptedModel>[] = [];
  // A model that is called twice for a step has no reply left.
  const modelWith = (replies: readonly ScriptedReply[]) => {
    const model = scriptedModel(replies);
    models.push(model);
    return model;
  };
  const agentFor = (part: readonly number[], keeping?: BaseCheckpointSaver) => {
    const calls = part.flatMap((n) => cell.calls[n] ?? []);
    const model = modelWith([replyOf(cell.protocol, calls), dialect(cell.protocol).answer("All done.")]);
    const own = part.flatMap((n) => tools[n] ?? []);
    return createAgent({ model, tools: own, protocol: cell.protocol, rephrase: false, checkpointer: keeping });
  };
  const leaderOf = (inner: readonly Agent[], keeping?: BaseCheckpointSaver) => {
    const names = inner.map((_, n) => `delegate${n}`);
    const model = modelWith([{ tool_calls: names.map((name) => ({ name, args: {} })) }, "All done."]);
    const delegates = inner.map((agent, n) => delegateTo(agent, names[n] ?? ""));
    return createAgent({ model, tools: delegates, protocol: "tool-calling", rephrase: false, checkpointer: keeping });
  };
  const all = cell.calls.map((_, n) => n);
  const half = cell.calls.length / 2;
  const graphs: Record<Cell["depth"], () => Graph> = {
    alone: () => agentFor(all, checkpointer),
    node: () => around(agentFor(all), checkpointer),
    tool: () => leaderOf([agentFor(all)], checkpointer),
    "two tools deep": () => leaderOf([leaderOf([agentFor(all)])], checkpointer),
    "two tools of a step": () => leaderOf([agentFor(all.slice(0, half)), agentFor(all.slice(half))], checkpointer),
  };
  return { graph: graphs[cell.depth](), models };
}

function delegateTo(agent: Agent, name: string) {
  const hand = async () => `did: ${(await agent.invoke({ messages: "Do it." })).answer}`;
  return tool(hand, { name, description: "Hands over.", schema: z.object({}) });
}

function around(agent: Agent, checkpointer: BaseCheckpointSaver) {
  const Outer = new StateSchema({ messages: MessagesValue });
  return new StateGraph(Outer).addNode("agent", agent).addEdge(START, "agent").compile({ checkpointer });
}

interface Seen {
  readonly decided: Map<string, Said>;
  readonly ownAnswers: Map<string, string[]>;
}

const ownQuestion = z.object({ sure: z.string() });

/** Draws an answer to a question, and notes what the person saw and said. */
function answerTo(value: unknown, random: () => number, seen: Seen): unknown {
  const approval = readApproval(value);
  if (approval) return decisionsFor(approval.requests, random, seen);
  const { sure } = ownQuestion.parse(value);
  const answer = pick(["yes", "no"], random);
  seen.ownAnswers.set(sure, [...(seen.ownAnswers.get(sure) ?? []), answer]);
  return answer;
}

function decisionsFor(requests: readonly ApprovalRequest[], random: () => number, { decided }: Seen): unknown {
  const kind = random();
  if (kind < 0.1) return pick(["yes", true, 7, ["aprove"], { decisions: [] }, {}], random);
  if (kind < 0.2) return { "another-1": { type: "approve" } };
  if (kind < 0.4) return { decisions: requests.map((request) => langChain(request, random, decided)) };
  const chosen = requests.filter(() => random() < 0.7);
  return Object.fromEntries(chosen.map((request) => [request.id, ownForm(request, random, decided)]));
}

function ownForm({ tool: name }: ApprovalRequest, random: () => number, decided: Map<string, Said>): unknown {
  const type = pick(["approve", "refuse", "edit", "answer", "bad", "bad edit", "stale"] as const, random);
  if (type === "bad") return { type: "aprove" };
  if (type === "bad edit") return { type: "edit", input: { to: 7 } };
  if (type === "stale") return { type: "approve", digest: "0123456789abcdef" };
  decided.set(name, { type, ...(type === "edit" && { input: "changed" }) });
  if (type === "edit") return { type, input: { to: "changed" } };
  return type === "answer" ? { type, answer: "In its place." } : pick([type, { type }], random);
}

function langChain({ tool: name }: ApprovalRequest, random: () => number, decided: Map<string, Said>): unknown {
  const type = pick(["approve", "reject", "edit"] as const, random);
  decided.set(name, type === "reject" ? { type: "refuse" } : { type, ...(type === "edit" && { input: "changed" }) });
  if (type !== "edit") return { type };
  return { type, [pick(["editedAction", "edited_action"], random)]: { name, args: { to: "changed" } } };
}

/** Works out which tools should have run, and with what. */
function expectedRuns(
  cell: Cell,
  decided: ReadonlyMap<string, Said>,
  ownAnswers: ReadonlyMap<string, string[]>,
): string[] {
  return cell.calls.flatMap(({ name, ask }) => {
    const said = decided.get(name);
    if ((ask === "policy" || ask === "both") && said?.type !== "approve" && said?.type !== "edit") return [];
    const answers = ownAnswers.get(name) ?? [];
    if (answers.length !== ownQuestions[ask] || answers.includes("no")) return [];
    return [`${name}(${said?.input ?? name})`];
  });
}
