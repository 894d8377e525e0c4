import type { BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { AgentAction, Reply } from "../state/decision.js";
import type { AgentStateValues } from "../state/state.js";
import type { AgentTool } from "./tools.js";

/** Where a plug-in is called: the state as the node at work finds it, and the config of that node. */
interface Place {
  readonly state: AgentStateValues;
  readonly config: LangGraphRunnableConfig;
}

/** A prompt for the reply of a step, before it is sent. */
export interface Prompt extends Place {
  readonly messages: BaseMessage[];
  /** The name of the model that is asked. */
  readonly model: string;
}

/** A call of a tool that nothing stands against any more, and that is about to be made. */
export interface ToolRequest extends Place {
  readonly toolCall: {
    readonly id: string;
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly type: "tool_call";
  };
  readonly tool: AgentTool;
  /** What was decided, with the input that a person chose, if one did. */
  readonly action: AgentAction;
}

/**
 * A hook of a plug-in, with the form of LangChain's middleware. It gets `messages` and the channels of its plug-in, and may return
 * an update of them, with `jumpTo` if `canJumpTo` names it. The types of its parameters are its own.
 */
type Hook = HookFunction | { readonly hook: HookFunction; readonly canJumpTo?: readonly string[] | undefined };
type HookFunction = (state: never, runtime: never) => unknown;

/** The places of the hooks in a turn. */
export type HookPlace = "beforeAgent" | "beforeModel" | "afterModel" | "afterAgent";

/** Asks a model for a reply. */
export type AskModel = (prompt: Prompt) => Promise<Reply>;
/** Calls a tool, and returns what it returns. */
export type CallTool = (request: ToolRequest) => Promise<unknown>;

/**
 * Something that plugs into the loop of an agent. A wrapper gets `next`, which it may call once, several times or not at all. Of
 * several plug-ins the first one is the outermost: its hooks before are the first, and its hooks after the last ones.
 *
 * - `beforeAgent` runs when a turn begins, and `beforeModel` before each reply is asked for: of the first one before the question
 *   is rephrased.
 * - `afterModel` runs when a reply was read. It may ask a person, change the reply, and answer its calls.
 * - `afterAgent` runs when a turn ends, however it ends.
 */
export interface Plugin extends Partial<Readonly<Record<HookPlace, Hook>>> {
  readonly name: string;
  /** The channels that the plug-in brings along: an object of zod, or a `StateSchema` of LangGraph. */
  readonly stateSchema?: unknown;
  /** The schema of what its hooks take of the `context` of a run. */
  readonly contextSchema?: unknown;
  /**
   * Around the request for the reply of a step, in the form of LangChain's middleware: it gets the request and a handler that makes
   * it, and returns a message, or a `Command` with an update of the channels.
   */
  readonly wrapModelCall?: (request: never, handler: never) => unknown;
  /** Around the request for the reply of a step, with all its tries. A reply that is returned in place of the given one is followed. */
  wrapSend?(prompt: Prompt, next: AskModel): Promise<Reply>;
  /** Around the call of a tool. */
  wrapToolCall?(request: ToolRequest, next: CallTool): Promise<unknown>;
  /** True if the plug-in changes prompts, so that they cannot be made again of the state. */
  readonly changesPrompts?: boolean;
  /** True if the plug-in may change a reply. Its answer is then sent as a whole. */
  readonly changesReplies?: boolean;
}

/** Tells whether a plug-in may change prompts, so that they cannot be made again of the state. */
export function changesPrompt({ changesPrompts, wrapModelCall }: Plugin): boolean {
  return changesPrompts ?? wrapModelCall !== undefined;
}

type Wrapper<Request, Result> = (request: Request, next: (request: Request) => Promise<Result>) => Promise<Result>;

/** Puts wrappers around a function. The first one is the outermost. */
export function around<Request, Result>(
  wrappers: readonly (Wrapper<Request, Result> | undefined)[],
  inner: (request: Request) => Promise<Result>,
): (request: Request) => Promise<Result> {
  return wrappers.reduceRight<typeof inner>((next, wrap) => (wrap ? (request) => wrap(request, next) : next), inner);
}
