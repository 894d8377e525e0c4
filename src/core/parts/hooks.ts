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
   * Called before each reply is asked for, also before each try with another model. What it returns is sent in place of
   * the messages. If it returns nothing, they are sent as they are. An error ends the run.
   */
  beforeModel?(prompt: ProposedPrompt<Context>): HookResult<BaseMessage[]>;
  /**
   * Called with each reply before it is read. What it returns is read and kept in its place. With this hook a reply is
   * streamed only when it is whole. An error ends the run.
   */
  afterModel?(arrived: ArrivedReply<Context>): HookResult<Reply>;
  /**
   * Called around each tool, after a person has decided about the call. `run` calls the tool with the input that was
   * decided on, and returns what the tool returns. The hook may call it once, several times, or not at all. Its result is
   * the result of the call. An error becomes an observation.
   */
  wrapToolCall?(call: ApprovedCall<Context>, run: () => Promise<unknown>): unknown;
}
