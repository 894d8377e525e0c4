import { type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { checkedResult } from "../../base/options.js";
import type { RunView } from "../run/run-view.js";
import { type AgentAction, type Reply, replySchema } from "../state/decision.js";

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
  aroundTool?(call: ApprovedCall<Context>, run: () => Promise<unknown>): unknown;
}

const messagesSchema = z.array(z.custom<BaseMessage>(isBaseMessage)).min(1);

/** Returns the messages to send. */
export async function messagesToSend({ beforeModel }: Hooks, prompt: ProposedPrompt): Promise<BaseMessage[]> {
  const changed = await beforeModel?.(prompt);
  if (changed === undefined) return [...prompt.messages];
  return checkedResult("hooks", "beforeModel", messagesSchema, changed);
}

/** Returns the reply to read. */
export async function replyToRead({ afterModel }: Hooks, arrived: ArrivedReply): Promise<Reply> {
  const changed = await afterModel?.(arrived);
  return changed === undefined ? arrived.reply : checkedResult("hooks", "afterModel", replySchema, changed);
}
