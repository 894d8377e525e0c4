import { hash } from "node:crypto";
import { GraphInterrupt, type Interrupt, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { type CallScope, givenAnswers, scopeOfCall } from "../../../langgraph/answers.js";
import type { QuestionOfStep } from "../../parts/plugin.js";
import type { Ledger } from "../../run/ledger.js";
import { callOf, type Pause, type Question } from "../../run/notes.js";
import { runOf } from "../../run/run.js";
import type { Acted, AgentAction } from "../../state/decision.js";

/**
 * The questions to people in one run of the node `act`. LangGraph runs a node again after each answer of a person, and
 * matches answers to questions by position. Parallel tools ask in any order, so positions would mix up their answers. Here
 * each action has a scope of its own: its questions, its answers, and the checkpoints of the graphs in its tool. One question
 * is shown at a time, so a `Command({ resume })` without an id always answers the question that was shown.
 */
export class PendingQuestions implements QuestionOfStep {
  readonly #scopes = new Map<string, CallScope>();
  readonly #asked: Question | undefined;
  readonly #notes: Omit<Pause, "asked" | "began">;
  /** The answer to the question that waits. `hasNoId`: it came without the id of the question. */
  readonly #answer: { readonly value: unknown; readonly hasNoId: boolean } | undefined;

  constructor(
    private readonly config: LangGraphRunnableConfig,
    private readonly ledger: Ledger,
  ) {
    const { paused, settled } = ledger;
    // A new answer takes the place of one that was taken, as long as the call was not made.
    const known = settled && paused && !this.#isAnsweredAnew(paused.asked) ? settled : paused;
    const { asked, ...notes } = known ?? nothingYet();
    this.#asked = asked;
    this.#notes = notes;
    this.#answer = asked && known !== settled ? this.#findAnswer(asked) : undefined;
    if (asked === undefined || this.#answer === undefined) return;
    notes.answered += 1;
    notes.tookAnswerWithoutId ||= this.#answer.hasNoId;
    if (asked.by && !asked.isNested) notes.answers[asked.by] = [...this.#answersTo(asked.by), this.#answer.value];
  }

  /** Tells whether an action had finished when the person was asked. */
  hadFinished(action: AgentAction): boolean {
    return this.#notes.finished.includes(callOf(action));
  }

  get answer(): QuestionOfStep["answer"] {
    if (this.#answer === undefined || this.#asked === undefined || this.#asked.by !== "") return undefined;
    return { value: this.#answer.value, shown: this.#asked.shown };
  }

  get kept(): readonly unknown[] {
    return this.#notes.calls;
  }

  get taken(): readonly unknown[] {
    return this.ledger.settled?.calls ?? [];
  }

  keep(data: readonly unknown[]): void {
    this.#notes.calls = [...data];
  }

  async settle(): Promise<void> {
    if (this.answer && this.#asked) await this.ledger.settle({ ...this.#notes, asked: this.#asked });
  }

  ask(value: unknown, shown: readonly string[]): Promise<GraphInterrupt> {
    const id = this.#idOf(["", ...shown, String(this.#notes.answered)]);
    // Without an answer the question stays as it was.
    const asked = this.#asked?.id === id ? this.#asked.value : value;
    return this.#stop({ id, value: asked }, { id, by: "", isNested: false, shown: [...shown], value: asked });
  }

  /**
   * Returns the interrupt for a question that the tool of an action asked. The caller throws it.
   *
   * @param results The results of the other actions, which are not run again.
   */
  askFor(
    action: AgentAction,
    { interrupts: [question] }: GraphInterrupt,
    results: readonly Acted[],
  ): Promise<GraphInterrupt> {
    this.#notes.finished = results.map((result) => callOf(result.action));
    const isNested = !this.#scopes.get(action.id)?.asksItself();
    const number = this.#answersTo(action.id).length;
    const id = isNested && question?.id ? question.id : this.#idOf([action.id, String(number)]);
    return this.#stop(
      { value: undefined, ...question, id },
      { id, by: action.id, isNested, shown: [], value: undefined },
    );
  }

  /** Returns the config for the tool of an action. `n` is the number of the action in its step, from 0, of `count`. */
  configFor({ id }: AgentAction, n: number, count: number): LangGraphRunnableConfig {
    const isNested = this.#answer && this.#asked?.by === id && this.#asked.isNested;
    const scope = scopeOfCall(this.config, {
      number: count > 1 ? n : undefined,
      inOrder: this.#answersTo(id),
      nested: isNested ? { [this.#asked.id]: this.#answer.value } : {},
    });
    this.#scopes.set(id, scope);
    return scope.config;
  }

  #isAnsweredAnew({ id }: Question): boolean {
    const { byId, withoutId } = givenAnswers(this.config);
    return id in byId || (withoutId !== undefined && runOf(this.config).resumesWithoutId);
  }

  #findAnswer({ id }: Question): { readonly value: unknown; readonly hasNoId: boolean } | undefined {
    const { byId, withoutId } = givenAnswers(this.config);
    if (id in byId) return { value: byId[id], hasNoId: false };
    if (Object.keys(byId).length > 0) return undefined;
    // LangGraph passes an answer without an id to later runs, too, where it must not answer another question.
    const isNew = !this.#notes.tookAnswerWithoutId || runOf(this.config).resumesWithoutId;
    if (withoutId !== undefined && isNew) return { value: withoutId, hasNoId: true };
    const { unused } = this.ledger;
    return unused.has(id) ? { value: unused.get(id), hasNoId: false } : undefined;
  }

  async #stop(interrupt: Interrupt, asked: Question): Promise<GraphInterrupt> {
    await this.ledger.pause({ ...this.#notes, asked });
    return new GraphInterrupt([interrupt]);
  }

  #answersTo(action: string): readonly unknown[] {
    return this.#notes.answers[action] ?? [];
  }

  /** Makes an id for a question. It has the form of LangGraph's ids. */
  #idOf(parts: readonly string[]): string {
    return hash("sha256", JSON.stringify([this.config.configurable?.checkpoint_ns, ...parts])).slice(0, 32);
  }
}

function nothingYet(): Omit<Pause, "asked" | "began"> & { readonly asked?: undefined } {
  return { answered: 0, tookAnswerWithoutId: false, answers: {}, calls: [], finished: [] };
}
