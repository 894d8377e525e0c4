import type { BaseMessage } from "@langchain/core/messages";
import type { RunView } from "../run/run-view.js";
import type { AgentAction, Reply } from "../state/decision.js";

/** A prompt before it is sent. */
export interface ProposedPrompt<Context = Record<string, unknown>> extends RunView<Context> {
  readonly messages: readonly BaseMessage[];
  /** The name of the model that is asked. */
  readonly model: string;
}

/** A reply before it is read. */
export interface ArrivedReply<Context = Record<string, unknown>> extends RunView<Context> {
  readonly reply: Reply;
}

/** A call of a tool that nothing stands against any more: a person has approved it, if anybody had to. */
export interface ApprovedCall<Context = Record<string, unknown>> extends RunView<Context> {
  readonly action: AgentAction;
}

/** What a hook returns in place of a value. A hook that only looks on returns nothing. */
export type HookResult<Value> = Value | void | Promise<Value | undefined> | Promise<void>;

/** The plain functions around an agent's calls. */
export interface Hooks<Context = Record<string, unknown>> {
  /**
   * Called before each reply is requested, also before each try with another model. Messages that the hook returns replace
   * the given ones. If it returns nothing, the given ones are sent. An error ends the run.
   */
  beforeModel?(prompt: ProposedPrompt<Context>): HookResult<BaseMessage[]>;
  /**
   * Called with each reply before it is parsed. A reply that the hook returns is parsed and kept in place of the given one.
   * With this hook the answer is sent only when the reply is whole. An error ends the run.
   */
  afterModel?(arrived: ArrivedReply<Context>): HookResult<Reply>;
  /**
   * Called around each tool, after a person has decided about the call. `run` calls the tool with the input that was
   * decided on, and returns what the tool returns. The hook may call it once, several times, or not at all. A tool with effects
   * is called once all the same, and `run` gives its result or its error again, unless its `metadata` has `idempotent: true`.
   * The result of the hook is the result of the call. An error becomes an observation.
   */
  wrapToolCall?(call: ApprovedCall<Context>, run: () => Promise<unknown>): unknown;
}
