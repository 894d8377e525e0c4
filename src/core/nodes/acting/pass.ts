import { hash } from "node:crypto";
import { GraphInterrupt, type Interrupt, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { RESUME } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { InvalidOptionError } from "../../../base/errors.js";
import { CHECKPOINTER_KEY, RESUME_MAP_KEY, SCRATCHPAD_KEY, SEND_KEY } from "../../../langgraph/names.js";
import { runOf } from "../../run/run.js";
import { type ApprovalRequest, approvalDecisionSchema, readApproval } from "../../state/approval.js";
import { type Acted, type AgentAction, outcomeSchema } from "../../state/decision.js";

const kind = "glassloop-act";

/** A decision about an action, with the digest of the call that the person was shown. */
const decidedSchema = z.object({ digest: z.string(), decision: approvalDecisionSchema });

/** A question to a person. `by` is the id of the action whose tool asks; it is empty if the agent asks for decisions. */
const askedSchema = z.object({
  id: z.string(),
  by: z.string(),
  isNested: z.boolean(),
  /** The requests that the person was shown, and the value of the interrupt. */
  shown: z.array(z.string()),
  value: z.unknown(),
});

/**
 * The notes that the node `act` leaves when it stops to ask a person. It finds them when it runs again. LangGraph keeps
 * them with the interrupt, in every checkpointer.
 *
 * - `asked`: the question that waits.
 * - `answered`: the number of questions that have an answer.
 * - `tookBareAnswer`: true if one of the answers came without the id of its question.
 * - `answers`: the answers to the questions of a tool, by the id of its action.
 * - `decided`: the decisions, by the id of the action.
 * - `finished`: the outcomes of the other actions of the step, by the id of the action.
 */
const notesSchema = z.object({
  kind: z.literal(kind),
  asked: askedSchema,
  answered: z.number(),
  tookBareAnswer: z.boolean(),
  answers: z.record(z.string(), z.array(z.unknown())),
  decided: z.record(z.string(), decidedSchema),
  finished: z.record(z.string(), outcomeSchema),
});
type Notes = z.infer<typeof notesSchema>;

const nothingYet = (): Omit<Notes, "asked"> & { readonly asked?: Notes["asked"] } => ({
  kind,
  answered: 0,
  tookBareAnswer: false,
  answers: {},
  decided: {},
  finished: {},
});

const configurableSchema = z.object({
  checkpoint_ns: z.string().default(""),
  [CHECKPOINTER_KEY]: z.unknown(),
  [SCRATCHPAD_KEY]: z.looseObject({ resume: z.array(z.unknown()), nullResume: z.unknown() }),
  [SEND_KEY]: z.custom<(writes: [string, unknown][]) => void>((value) => typeof value === "function"),
  [RESUME_MAP_KEY]: z.record(z.string(), z.unknown()).optional(),
});

const noThread =
  "a person is asked, and the answer comes to a thread, but this agent keeps none; give " +
  "(await openThreads(url)).checkpointer or another LangGraph checkpointer.";

/**
 * One run of the node `act`. LangGraph runs a node again after each answer of a person, and gives it the answers by
 * their position. That is wrong for tools that run side by side. So each action has a scope of its own here: its
 * questions, its answers, and the checkpoints of the graphs in its tool. One question is shown at a time. So the answer
 * of a bare `Command({ resume })` always belongs to the question that was shown.
 */
export class Pass {
  readonly #config: LangGraphRunnableConfig;
  readonly #langGraph: z.infer<typeof configurableSchema>;
  readonly #scratchpads = new Map<string, { interruptCounter: number }>();
  readonly #answer: { readonly value: unknown } | undefined;
  readonly #asked: Notes["asked"] | undefined;
  readonly #notes: Omit<Notes, "asked">;

  constructor(config: LangGraphRunnableConfig) {
    this.#config = config;
    this.#langGraph = configurableSchema.parse(config.configurable);
    const kept = this.#langGraph[SCRATCHPAD_KEY].resume.at(-1);
    const { asked, ...notes } = (kept ? notesSchema.safeParse(kept).data : undefined) ?? nothingYet();
    this.#notes = notes;
    this.#asked = asked;
    this.#answer = this.#findAnswer();
    if (asked === undefined || this.#answer === undefined) return;
    notes.answered += 1;
    notes.tookBareAnswer ||= isEmpty(this.#langGraph[RESUME_MAP_KEY]);
    if (asked.by && !asked.isNested) notes.answers[asked.by] = [...this.#answersTo(asked.by), this.#answer.value];
  }

  /** The decisions so far, by the id of their action. */
  get decided(): Readonly<Notes["decided"]> {
    return this.#notes.decided;
  }

  /** Keeps a decision about an action, with the digest of the call that the person was shown. */
  decide(action: string, decided: Notes["decided"][string]): void {
    this.#notes.decided[action] = decided;
  }

  /** The outcomes of the actions that have ended in an earlier run of the node, by the id of the action. */
  get finished(): Readonly<Notes["finished"]> {
    return this.#notes.finished;
  }

  /** The answer to the request for decisions, and what the person was shown; undefined if there is none. */
  get approvalAnswer(): { readonly value: unknown; readonly shown: readonly string[] } | undefined {
    if (this.#answer === undefined || this.#asked === undefined || this.#asked.by !== "") return undefined;
    return { value: this.#answer.value, shown: this.#asked.shown };
  }

  /** The requests that wait for decisions. There are none if a tool asks, or nobody does. */
  get shownRequests(): readonly ApprovalRequest[] {
    return readApproval(this.#asked?.value)?.requests ?? [];
  }

  /** Returns the interrupt that asks for decisions. The caller throws it. */
  askForDecisions(value: unknown, shown: readonly string[]): GraphInterrupt {
    const id = this.#idOf(["", ...shown, String(this.#notes.answered)]);
    // Without an answer the question stays as it was, with its complaints.
    const asked = this.#asked?.id === id ? this.#asked.value : value;
    return this.#stop({ id, value: asked }, { id, by: "", isNested: false, shown: [...shown], value: asked });
  }

  /**
   * Returns the interrupt for a question that the tool of an action asked. The caller throws it.
   *
   * @param results The results of the other actions, which are not run again.
   */
  askFor(action: AgentAction, { interrupts: [question] }: GraphInterrupt, results: readonly Acted[]): GraphInterrupt {
    for (const { action: done, decision, ...outcome } of results) this.#notes.finished[done.id] = outcome;
    const answers = this.#answersTo(action.id);
    // A graph inside the tool has a scratchpad of its own. It finds its answer by the id of its question.
    const isNested = (this.#scratchpads.get(action.id)?.interruptCounter ?? -1) < answers.length;
    const id = isNested && question?.id ? question.id : this.#idOf([action.id, String(answers.length)]);
    return this.#stop(
      { value: undefined, ...question, id },
      { id, by: action.id, isNested, shown: [], value: undefined },
    );
  }

  /** Returns the config for the tool of an action. `n` is the number of the action in its step, from 0, of `count`. */
  configFor(action: AgentAction, n: number, count: number): LangGraphRunnableConfig {
    const {
      [SCRATCHPAD_KEY]: scratchpad,
      [SEND_KEY]: send,
      [RESUME_MAP_KEY]: answers,
      checkpoint_ns,
    } = this.#langGraph;
    const own = {
      ...scratchpad,
      resume: [...this.#answersTo(action.id)],
      nullResume: undefined,
      consumeNullResume: () => undefined,
      interruptCounter: -1,
      subgraphCounter: 0,
    };
    this.#scratchpads.set(action.id, own);
    const isAnswered = this.#answer && this.#asked?.by === action.id && this.#asked.isNested;
    return {
      ...this.#config,
      configurable: {
        ...this.#config.configurable,
        [SCRATCHPAD_KEY]: own,
        [SEND_KEY]: (writes: [string, unknown][]) => send(writes.filter(([channel]) => channel !== RESUME)),
        ...(isAnswered && { [RESUME_MAP_KEY]: { ...answers, [this.#asked?.id ?? ""]: this.#answer?.value } }),
        // LangGraph numbers the graphs in a node in this way, too.
        ...(count > 1 && { checkpoint_ns: `${checkpoint_ns}|${n}` }),
      },
    };
  }

  #findAnswer(): { readonly value: unknown } | undefined {
    const { [SCRATCHPAD_KEY]: scratchpad, [RESUME_MAP_KEY]: answers } = this.#langGraph;
    if (this.#asked === undefined) return undefined;
    if (answers && this.#asked.id in answers) return { value: answers[this.#asked.id] };
    if (!isEmpty(answers)) return undefined;
    // LangGraph gives an answer without an id to later runs, too. There it must not answer another question.
    if (scratchpad.nullResume === undefined) return undefined;
    if (this.#notes.tookBareAnswer && !runOf(this.#config).resumesWithoutId) return undefined;
    return { value: scratchpad.nullResume };
  }

  #stop(interrupt: Interrupt, asked: Notes["asked"]): GraphInterrupt {
    if (this.#langGraph[CHECKPOINTER_KEY] === undefined) throw new InvalidOptionError("checkpointer", noThread);
    this.#langGraph[SEND_KEY]([[RESUME, [{ ...this.#notes, asked } satisfies Notes]]]);
    return new GraphInterrupt([interrupt]);
  }

  #answersTo(action: string): readonly unknown[] {
    return this.#notes.answers[action] ?? [];
  }

  /** Makes an id for a question. It has the form of LangGraph's ids. */
  #idOf(parts: readonly string[]): string {
    return hash("sha256", JSON.stringify([this.#langGraph.checkpoint_ns, ...parts])).slice(0, 32);
  }
}

/** Tells whether there are no answers by id. LangGraph takes an empty answer for an empty map of them. */
function isEmpty(answers: Readonly<Record<string, unknown>> | undefined): boolean {
  return Object.keys(answers ?? {}).length === 0;
}
