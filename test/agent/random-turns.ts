import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { Command, interrupt } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import {
  approvalRequests,
  continueTurn,
  createAgent,
  edit,
  GlassloopError,
  hasCode,
  idempotencyKey,
  regenerate,
  replay,
  type Threads,
} from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { pick, randomFrom } from "../helpers/random.js";
import { type Decided, type Effect, Line } from "./allowed-effects.js";
import { Life } from "./mortal.js";
import {
  asking,
  beforeLastQuestion,
  type Conversation,
  conversationAt,
  goesOn,
  inputSchema,
  messageSchema,
  type Outcome,
  type Past,
  pastOf,
  upToLastQuestion,
  wrongIn,
  wrongInPast,
} from "./thread-model.js";

/** Where the threads are: the checkpointers of two processes, and what only our own checkpointers can. */
export interface Place {
  readonly savers: readonly [BaseCheckpointSaver, BaseCheckpointSaver];
  readonly threads?: Threads;
  /** Runs a turn in a process that is killed. Returns what its tools did. */
  readonly killed?: (run: KilledRun) => Promise<readonly Effect[]>;
}

/** A run that ends with the process: a question, the rest of a turn, or an answer. */
export interface KilledRun {
  readonly thread: string;
  readonly input: { readonly ask: string } | { readonly resume: unknown } | null;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: Record<string, unknown> }[];
  /** The process is killed at this call of a tool, before or after its effect; or at this write of the checkpointer. */
  readonly at: { readonly what: "tool" | "write"; readonly count: number; readonly isAfter: boolean };
}

const gated = new Set(["transfer", "ask"]);
const toolNames = ["pay", "transfer", "ask", "look", "delegate"] as const;
type ToolName = (typeof toolNames)[number];

const actionsSchema = z.object({
  decision: z.object({
    kind: z.literal("action"),
    actions: z.array(z.looseObject({ toolInput: inputSchema })),
  }),
});
const messagesSchema = z.object({ messages: z.array(messageSchema).default([]) });

const answerSchema = z.object({ id: z.string(), type: z.literal("ai"), text: z.string(), calls: z.tuple([]) });

/** What one run draws its calls from. */
interface Source {
  readonly random: () => number;
  number: number;
}

interface Thread {
  id: string;
  line: Line;
  /** Answers that were given before. */
  readonly given: Answer[];
  /** The conversation and the checkpoints after the step before. */
  conversation: Conversation;
  past: Past;
  /** The keys of its calls, by their numbers. */
  readonly keys: Map<number, string>;
  /** True if somebody made the graph leave out nodes, or run one again. */
  isUpdated: boolean;
}

/** Errors that say that there is nothing to do. */
const refusals = new Set(["thread-in-use", "no-turn-to-continue", "no-turn-to-repeat", "not-waiting", "invalid-input"]);

/** Does random things to threads, and looks whether each effect was allowed. */
export class RandomTurns {
  /** What went wrong, after the steps that led to it. */
  readonly wrong: string[] = [];
  readonly steps: string[] = [];
  readonly counts = new Map<string, number>();
  readonly #threads: Thread[] = [];
  readonly #observers: readonly [Agent, Agent];
  /** The calls of all threads, by their keys. */
  readonly #called = new Map<string, string>();
  #number = 0;

  constructor(
    private readonly place: Place,
    private readonly random: () => number,
    private readonly prefix: string,
  ) {
    const [first, second] = place.savers;
    this.#observers = [this.#observing(first), this.#observing(second)];
  }

  async run(steps: number): Promise<void> {
    for (let step = 0; step < steps && this.wrong.length === 0; step += 1) {
      const isNew = this.#threads.length === 0 || (this.#threads.length < 3 && this.random() < 0.08);
      const thread = isNew ? this.#thread(new Line()) : this.#pick(this.#threads);
      await this.#step(isNew ? "ask" : this.#pick(await this.#possible(thread)), thread);
    }
  }

  #observing(checkpointer: BaseCheckpointSaver): Agent {
    return createAgent({ model: scriptedModel([]), protocol: "tool-calling", rephrase: false, checkpointer });
  }

  async #possible(thread: Thread): Promise<readonly Act[]> {
    const { threads, killed } = this.place;
    const { tasks } = await this.#look(thread);
    const own: readonly Act[] = threads ? ofThreads : [];
    const rare: readonly Act[] = killed && this.random() < 0.3 ? ["kill"] : [];
    return [...always, ...(tasks.length > 0 ? whilePending : afterAnswer), ...own, ...rare];
  }

  async #step(name: Act, thread: Thread): Promise<void> {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    this.#say(`${thread.id}: ${name}`);
    try {
      await this.#readInputs(thread);
      const outcome = await this[name](thread);
      await this.#checkEnd(thread);
      await this.#compare(thread, outcome ?? { ...thread.conversation, isSure: true }, name === "prune");
    } catch (error) {
      this.wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }

  // What people do. Each is a step.

  async ask(thread: Thread): Promise<Outcome> {
    const question = `Question ${this.#draw()}`;
    const life = await this.#live(thread, (agent, config) => agent.invoke({ messages: question }, config));
    return { ...asking(question, thread.conversation), isSure: life.hasEnded };
  }

  async resume(thread: Thread): Promise<void> {
    await this.#live(thread, (agent, config) => agent.invoke(null, config));
  }

  async goOn(thread: Thread): Promise<void> {
    await this.#live(thread, (agent, config) => continueTurn(agent, thread.id, config));
  }

  async decide(thread: Thread): Promise<void> {
    const answer = await this.#answer(thread);
    if (answer === undefined) return this.resume(thread);
    thread.given.push(answer);
    await this.#give(answer, thread);
  }

  /** Gives an answer once more, or one that was given to the thread from which this one was forked. */
  async late(thread: Thread): Promise<void> {
    if (thread.given.length > 0) await this.#give(this.#say(this.#pick(thread.given)), thread);
  }

  async update(thread: Thread): Promise<Outcome | undefined> {
    const [agent] = this.#observers;
    const { values, next } = await this.#look(thread);
    if (values.turn === undefined) return undefined;
    const actions = actionsSchema.safeParse(values).data?.decision.actions;
    const asNode = this.#pick([
      "rephrase-question",
      "plan",
      "act",
      "",
      ...(actions ? ["parse", "parse", "parse"] : []),
    ]);
    thread.keys.clear();
    thread.isUpdated = true;
    const isEdit = actions !== undefined && next.includes("act") && this.random() < 0.4;
    this.#say(`update as ${isEdit ? "parse, with another input" : asNode || "nobody"}, next was ${next}`);
    if (isEdit) {
      const edited = this.#pick(actions);
      const by = `update${this.#draw()}`;
      const changed = actions.map((action) =>
        action === edited ? { ...action, toolInput: { ...action.toolInput, by } } : action,
      );
      await agent.updateState(at(thread), { decision: { ...values.decision, actions: changed } }, "parse");
    } else {
      const update = this.#pick([{}, { question: "Changed" }, { messages: [] }]);
      await agent.updateState(at(thread), update, asNode || undefined);
      // LangGraph drops a question that no node has seen.
      const seen = thread.conversation.messages.filter((message) => message.includes('"type":"human"')).length;
      return { ...thread.conversation, questions: thread.conversation.questions.slice(0, seen), isSure: false };
    }
    return undefined;
  }

  /** Corrects an answer. */
  async correct(thread: Thread): Promise<Outcome | undefined> {
    const { questions, messages } = thread.conversation;
    const answer = answerSchema.safeParse(JSON.parse(messages.at(-1) ?? "null")).data;
    if (answer === undefined) return undefined;
    const text = `Corrected ${this.#draw()}`;
    const [agent] = this.#observers;
    await agent.updateState(at(thread), { messages: [new AIMessage({ id: answer.id, content: text })] });
    const corrected = JSON.stringify({ ...answer, text });
    return { questions, messages: [...messages.slice(0, -1), corrected], isSure: true };
  }

  async again(thread: Thread): Promise<Outcome> {
    const run: Run = (agent, config) => regenerate(agent, thread.id, config);
    const life = await this.#fromPast(thread, new Line(), run);
    return { ...upToLastQuestion(thread.conversation), isSure: life.hasEnded };
  }

  async edit(thread: Thread): Promise<Outcome> {
    const question = `Edited ${this.#draw()}`;
    const run: Run = (agent, config) => edit(agent, thread.id, question, config);
    const life = await this.#fromPast(thread, new Line(), run);
    return { ...asking(question, beforeLastQuestion(thread.conversation)), isSure: life.hasEnded };
  }

  async replay(thread: Thread): Promise<Outcome | undefined> {
    const { state, line } = await this.#stateOf(thread);
    const checkpoint: string | undefined = state?.config.configurable?.checkpoint_id;
    if (state === undefined || checkpoint === undefined) return undefined;
    this.#say(`from ${state.next.join() || "the end of a turn"}`);
    const run: Run = (agent, config) => replay(agent, thread.id, checkpoint, config);
    const life = await (line === undefined ? this.#live(thread, run) : this.#fromPast(thread, line, run));
    if (state.next.length === 0) return undefined;
    return { ...(await conversationAt(this.place.savers[0], state)), isSure: life.hasEnded };
  }

  async fork(thread: Thread): Promise<void> {
    const { state, line } = await this.#stateOf(thread);
    if (state === undefined || this.#threads.length > 4) return;
    const forked = this.#thread(line ?? thread.line.copy());
    forked.given.push(...thread.given);
    forked.isUpdated = thread.isUpdated;
    try {
      await this.place.threads?.fork(thread.id, state.config.configurable?.checkpoint_id, forked.id);
    } catch (error) {
      if (!hasCode(error, "thread-waiting")) throw error;
      this.#threads.splice(this.#threads.indexOf(forked), 1);
      return;
    }
    this.#say(`to ${forked.id}${line === undefined ? "" : ", from the past"}, before ${state.next}`);
    await this.#compare(forked, { ...(await conversationAt(this.place.savers[0], state)), isSure: true });
    const { next } = await this.#whole(forked, this.#observers[1]);
    if (String(next) !== String(state.next)) this.wrong.push(`the fork goes on with ${next} and not ${state.next}`);
  }

  async prune(thread: Thread): Promise<void> {
    const policy = { keepTurns: this.#pick([0, 1]), dropBranches: this.random() < 0.5 };
    if ((await this.place.threads?.get(thread.id)) === undefined) return;
    await this.place.threads?.prune({ thread: thread.id, ...policy });
  }

  /** Two processes go on with a thread at the same time. */
  async race(thread: Thread): Promise<void> {
    const answer = await this.#answer(thread);
    const run: Run = (agent, config) => agent.invoke(answer?.command ?? null, config);
    thread.line.decide(answer?.decides(await this.#asked(thread)) ?? []);
    await Promise.all([this.#live(thread, run, true), this.#live(thread, run, true)]);
  }

  async kill(thread: Thread): Promise<Outcome | undefined> {
    const answer = this.random() < 0.6 ? await this.#answer(thread) : undefined;
    const undo = thread.line.decide(answer?.decides(await this.#asked(thread)) ?? []);
    const isNew = answer === undefined && this.random() < 0.4;
    const question = `Question ${this.#draw()}`;
    const what = this.#pick(["tool", "write"] as const);
    const done = await this.place.killed?.({
      thread: thread.id,
      input: answer ? { resume: answer.value } : isNew ? { ask: question } : null,
      calls: this.#calls(this.#source()),
      at: { what, count: 1 + Math.floor(this.random() * (what === "tool" ? 2 : 6)), isAfter: this.random() < 0.5 },
    });
    for (const effect of done ?? []) this.#take(effect, thread);
    undo();
    return isNew ? { ...asking(question, thread.conversation), isSure: false } : undefined;
  }

  // How they do it.

  /** Gives an answer to a thread. What waits there is decided, unless the run ends before it has read the answer. */
  async #give(answer: Answer, thread: Thread): Promise<void> {
    const asked = await this.#asked(thread);
    const mayBeLost = thread.line.decide(answer.decides(asked));
    const life = await this.#live(thread, (agent, config) => agent.invoke(answer.command, config));
    if (!(asked.requests.length > 0 ? life.hasArrived : life.hasEnded)) mayBeLost();
  }

  /** Runs an agent that may be stopped or die, in one of the two processes, and perhaps without one of its tools. */
  async #live(thread: Thread, run: Run, isWhole = false): Promise<Life> {
    const life = new Life(isWhole ? undefined : this.random);
    const without = this.random() < 0.15 ? this.#pick(toolNames) : undefined;
    const durability = this.#pick(["sync", "sync", "sync", "async", "exit"] as const);
    this.#say(`${life}${without ? `, without ${without}` : ""}, ${durability}`);
    const agent = this.#agent(life, thread, without, durability === "sync");
    try {
      await run(agent, { ...at(thread), signal: life.signal, durability });
      life.hasArrived = true;
      life.hasEnded = true;
    } catch (error) {
      if (!life.isOver && !isRefusal(error)) throw error;
      this.#say(`ended with ${error instanceof Error ? error.message.slice(0, 100) : error}`);
    }
    await life.untilWritten();
    if (life.isDead && durability !== "sync") for (const number of life.effects) thread.line.forget(number);
    // A tool that returns while the run is stopped may come too late.
    if (!life.isOver) for (const [number, result] of life.results) thread.line.keep(number, result);
    return life;
  }

  /** Runs a thread from a checkpoint of its past. The line of the thread stays if nothing came of it. */
  async #fromPast(thread: Thread, line: Line, run: Run): Promise<Life> {
    thread.keys.clear();
    const before = { head: await this.#head(thread), line: thread.line };
    thread.line = line;
    const life = await this.#live(thread, run);
    if ((await this.#head(thread)) === before.head) thread.line = before.line;
    return life;
  }

  #agent(life: Life, thread: Thread, without: ToolName | undefined, isSync: boolean) {
    const source = this.#source();
    const model = scriptedModel(
      Array.from({ length: 50 }, () => async (messages: readonly BaseMessage[]) => {
        await life.reach("model");
        const isFirst = messages.at(-1)?.getType() === "human";
        return source.random() < (isFirst ? 0.9 : 0.4) ? { content: "", tool_calls: this.#calls(source) } : "Done.";
      }),
    );
    const act = async (name: ToolName, { number, by }: Input, key = ""): Promise<string> => {
      life.hasArrived = true;
      this.#takeKey(thread, number, key, name === "look" && isSync);
      if (name === "ask" && interrupt({ number, by }) !== "yes") return `did not do ${number}`;
      if (name === "delegate") return (await inner.invoke({ messages: JSON.stringify({ number, by }) })).answer ?? "";
      await life.reach("tool", false);
      if (name !== "look") {
        this.#take({ tool: name, number, by }, thread);
        life.effects.push(number);
      }
      await life.reach("tool", true);
      const result = `did ${number} by ${by}`;
      if (name !== "look") life.results.set(number, result);
      return result;
    };
    const tools = toolNames.map((name) =>
      tool((input, config: RunnableConfig) => act(name, input, idempotencyKey(config)), {
        name,
        description: name,
        schema: inputSchema,
        metadata: { effects: name !== "look" && name !== "delegate", ...(name === "transfer" && { approve: true }) },
      }),
    );
    // The agent in a tool makes one call, whose number is that of the tool's call and a half.
    const inner = createAgent({
      model: scriptedModel(
        Array.from({ length: 50 }, () => async (messages: readonly BaseMessage[]) => {
          await life.reach("model");
          const asked = messages.at(-1);
          if (asked?.getType() !== "human") return "Done.";
          const { number, by } = inputSchema.parse(JSON.parse(asked.text));
          return { content: "", tool_calls: [{ name: "pay", args: { number: number + 0.5, by } }] };
        }),
      ),
      tools: tools.filter(({ name }) => name === "pay"),
      protocol: "tool-calling",
      rephrase: false,
    });
    const agent = createAgent({
      model,
      tools: tools.filter(({ name }) => name !== without),
      protocol: "tool-calling",
      rephrase: false,
      multitaskStrategy: "enqueue",
      checkpointer: life.own(this.#pick(this.place.savers)),
    });
    life.guard(agent.checkpointer);
    return agent;
  }

  #take(effect: Effect, thread: Thread): void {
    this.#say(`${thread.id} ${effect.tool} ${effect.number} by ${effect.by}`);
    this.wrong.push(...thread.line.take(effect, gated.has(effect.tool)));
  }

  /** Two calls have two keys. @param isSame True if the call has the key that it had before. */
  #takeKey(thread: Thread, number: number, key: string, isSame: boolean): void {
    const call = `${thread.id} ${number}`;
    const other = this.#called.get(key) ?? call;
    if (other !== call) this.wrong.push(`${call} has the key of ${other}`);
    this.#called.set(key, call);
    const before = thread.keys.get(number) ?? key;
    if (isSame && before !== key) this.wrong.push(`${call} has another key than before`);
    if (isSame) thread.keys.set(number, key);
  }

  /** Returns what one run draws its calls from: two runs at once do not change what follows. */
  #source(): Source {
    return { random: randomFrom(Math.floor(this.random() * 2 ** 32)), number: this.#draw() * 100 };
  }

  #calls(source: Source): KilledRun["calls"] {
    return Array.from({ length: pick([1, 1, 2, 3], source.random) }, () => ({
      name: pick(toolNames, source.random),
      number: ++source.number,
    })).map(({ name, number }) => ({ id: `call-${number}`, name, args: { number, by: "model" } }));
  }

  /** Makes an answer to what a thread asks; undefined if it asks nothing. */
  async #answer(thread: Thread): Promise<Answer | undefined> {
    const { requests, questions } = await this.#asked(thread);
    const [question] = questions;
    if (question === undefined) return undefined;
    const to = this.random() < 0.5 ? question.id : undefined;
    if (requests.length === 0) {
      const isYes = this.random() < 0.6;
      const resume = isYes ? "yes" : "no";
      const decided = { type: isYes ? ("approve" as const) : ("refuse" as const), by: "" };
      return this.#say(new Answer(resume, to, new Map([["", decided]])));
    }
    const decided = requests
      .filter(() => this.random() < 0.8)
      .map(({ id, input }) => {
        const type = this.#pick(["approve", "approve", "edit", "refuse"] as const);
        return { id, input, type, by: `person${this.#draw()}` };
      });
    if (decided.length === 0) return undefined;
    const resume = decided.map(({ id, input, type, by }) => [
      id,
      type === "edit" ? { type, input: { ...input, by } } : type,
    ]);
    return this.#say(new Answer(Object.fromEntries(resume), to, new Map(decided.map(({ id, ...rest }) => [id, rest]))));
  }

  /** Reads what waits for a person. */
  async #asked(thread: Thread): Promise<Asked> {
    const state = await this.#look(thread);
    const requests = approvalRequests(state).map(({ id, input }) => ({ id, input: inputSchema.parse(input) }));
    const questions = state.tasks
      .flatMap(({ interrupts }) => interrupts)
      .map(({ id = "", value }) => ({ id, asks: inputSchema.safeParse(value).data }));
    return { requests, questions };
  }

  #look(thread: Thread) {
    return this.#observers[0].getState(at(thread));
  }

  /** Takes note of what the state says of the inputs of the calls that are next. */
  async #readInputs(thread: Thread): Promise<void> {
    const { values, next } = await this.#look(thread);
    for (const { number, by } of inputsIn(values)) thread.line.write(number, next.includes("act") ? by : "model");
  }

  /** Draws a checkpoint. @returns The line that begins there; undefined for the newest one, where the line just goes on. */
  async #stateOf(thread: Thread) {
    const states = [];
    for await (const state of this.#observers[0].getStateHistory(at(thread))) states.push(state);
    const state = states.length > 0 && this.random() < 0.6 ? this.#pick(states) : states[0];
    if (state === undefined || state === states[0]) return { state, line: undefined };
    const { messages } = messagesSchema.parse(state.values);
    const line = new Line(new Set([...resultsIn(messages)].map(([number]) => number)));
    if (state.next.includes("act")) for (const { number, by } of inputsIn(state.values)) line.write(number, by);
    return { state, line };
  }

  async #head(thread: Thread): Promise<string | undefined> {
    return (await this.#look(thread)).config.configurable?.checkpoint_id;
  }

  /** Looks at a thread whose turn has ended: each call has one result, and it is the one that its tool gave. */
  async #checkEnd(thread: Thread): Promise<void> {
    const { values, tasks } = await this.#look(thread);
    if (tasks.length > 0 || thread.isUpdated) return;
    const { messages } = messagesSchema.parse(values);
    const results = resultsIn(messages);
    for (const { args } of messages.flatMap(({ tool_calls }) => tool_calls)) {
      const found = results.get(args.number) ?? [];
      const kept = thread.line.resultOf(args.number);
      if (found.length !== 1) this.wrong.push(`call ${args.number} has ${found.length} results: ${found.join(" | ")}`);
      else if (kept !== undefined && !found[0]?.includes(kept)) this.wrong.push(`"${kept}" became "${found[0]}"`);
    }
  }

  /** Compares a thread with what may have come of the last step, with itself, and with what the other process sees. */
  async #compare(thread: Thread, outcome: Outcome, isPruned = false): Promise<void> {
    const [state, other] = await Promise.all(this.#observers.map((observer) => this.#whole(thread, observer)));
    if (state === undefined) return;
    const possible: readonly Conversation[] = outcome.isSure ? [outcome] : [outcome, thread.conversation];
    const conversation = await conversationAt(this.place.savers[0], state);
    if (!possible.some((one) => goesOn(one, conversation, thread.isUpdated)))
      this.wrong.push(`it is ${show(conversation)}, not ${possible.map(show).join(" or ")}`);
    if (JSON.stringify(state) !== JSON.stringify(other)) this.wrong.push("the other process sees another state");
    const past = await pastOf(this.place.savers[1], thread.id);
    const row = await this.place.threads?.get(thread.id);
    this.wrong.push(...wrongIn(state, row, thread.isUpdated), ...wrongInPast(thread.past, past, isPruned));
    Object.assign(thread, { conversation, past });
  }

  /** Reads the newest checkpoint of a thread by its id: LangGraph adds nothing to it then. */
  async #whole(thread: Thread, observer: Agent) {
    const { config } = await observer.getState(at(thread));
    return observer.getState({ configurable: { ...config.configurable, thread_id: thread.id } });
  }

  #thread(line: Line): Thread {
    const nothing = { conversation: { questions: [], messages: [] }, past: new Map(), keys: new Map() };
    const thread = { id: `${this.prefix}${this.#draw()}`, line, given: [], isUpdated: false, ...nothing };
    this.#threads.push(thread);
    return thread;
  }

  #draw(): number {
    this.#number += 1;
    return this.#number;
  }

  #pick<Value>(values: readonly Value[]): Value {
    return pick(values, this.random);
  }

  #say<Said>(said: Said): Said {
    this.steps.push(String(said));
    return said;
  }
}

type Input = z.infer<typeof inputSchema>;

/** What waits for a person: the requests for decisions, or the questions of tools. */
interface Asked {
  readonly requests: readonly { readonly id: string; readonly input: Input }[];
  readonly questions: readonly { readonly id: string; readonly asks: Input | undefined }[];
}

/** An answer of a person. When it is given, another question may be pending than the one that the person saw. */
class Answer {
  /**
   * @param to The id of the question; undefined if the answer does not name it.
   * @param decided The decisions by the ids of their actions; one without an id answers the question of a tool.
   */
  constructor(
    private readonly resume: unknown,
    private readonly to: string | undefined,
    private readonly decided: ReadonlyMap<string, Pick<Decided, "type" | "by">>,
  ) {}

  get value(): unknown {
    return this.to === undefined ? this.resume : { [this.to]: this.resume };
  }

  get command(): Command<unknown, Record<string, never>, never> {
    return new Command({ resume: this.value });
  }

  toString(): string {
    return `answer ${JSON.stringify(this.value)}`;
  }

  /** Returns what the answer decides of what waits. */
  decides({ requests, questions }: Asked): (readonly [number: number, decided: Decided])[] {
    if (this.to !== undefined && questions.every(({ id }) => id !== this.to)) return [];
    const asked = requests.length > 0 ? requests : questions.map(({ asks }) => ({ id: "", input: asks }));
    return asked.flatMap(({ id, input }) => {
      const decided = this.decided.get(id);
      return decided && input ? [[input.number, { ...decided, about: input.by }] as const] : [];
    });
  }
}

const always = ["late", "update", "again", "edit", "replay"] as const;
const afterAnswer = ["ask", "ask", "ask", "ask", "ask", "ask", "resume", "goOn", "correct"] as const;
const whilePending = ["resume", "decide", "decide", "late", "update", "goOn", "ask"] as const;
const ofThreads = ["fork", "fork", "prune", "race"] as const;
type Act = (typeof always | typeof afterAnswer | typeof whilePending | typeof ofThreads)[number] | "kill";

type Agent = ReturnType<typeof createAgent>;
type RunOptions = { readonly signal: AbortSignal; readonly durability: "sync" | "async" | "exit" };
type Run = (agent: Agent, config: ReturnType<typeof at> & RunOptions) => Promise<unknown>;

const at = ({ id }: Thread) => ({ configurable: { thread_id: id } });

function inputsIn(values: unknown): Input[] {
  return actionsSchema.safeParse(values).data?.decision.actions.map(({ toolInput }) => toolInput) ?? [];
}

/** Returns the results of calls, by the numbers of the calls. */
function resultsIn(messages: z.infer<typeof messagesSchema>["messages"]): Map<number, string[]> {
  const numbers = new Map(messages.flatMap(({ tool_calls }) => tool_calls.map(({ id, args }) => [id, args.number])));
  const results = new Map<number, string[]>();
  for (const { tool_call_id = "", text } of messages) {
    const number = numbers.get(tool_call_id);
    if (number !== undefined) results.set(number, [...(results.get(number) ?? []), text]);
  }
  return results;
}

const show = ({ questions, messages }: Conversation) => `${questions} in ${messages.join("\n")}`;

function isRefusal(error: unknown): boolean {
  return error instanceof GlassloopError && refusals.has(error.code);
}
