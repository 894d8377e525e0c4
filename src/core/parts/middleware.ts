import type { AIMessage, BaseMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { Command, LangGraphRunnableConfig } from "@langchain/langgraph";
import type { ToolOption } from "./tools.js";

/** What hooks and wrappers find of the state: the messages, and the channels of their middleware. */
export interface SeenState {
  readonly messages: BaseMessage[];
}

/** What hooks and wrappers get beside the state. `context` has what the run was given of their `contextSchema`. */
export interface MiddlewareRuntime
  extends Partial<Pick<LangGraphRunnableConfig, "store" | "configurable" | "writer" | "signal">> {
  readonly context?: unknown;
  readonly interrupt?: unknown;
}

/** A request for the reply of a step, as `wrapModelCall` gets it. */
export interface WrappedRequest {
  readonly model: object;
  readonly messages: BaseMessage[];
  readonly systemPrompt: string;
  readonly systemMessage: SystemMessage;
  readonly tools: readonly ToolOption[];
  readonly toolChoice?: unknown;
  readonly modelSettings?: Readonly<Record<string, unknown>>;
  readonly state: SeenState;
  readonly runtime: MiddlewareRuntime;
}

/** A call of a tool, as `wrapToolCall` gets it. */
export interface WrappedCall {
  readonly toolCall: { readonly id?: string; readonly name: string; readonly args: Readonly<Record<string, unknown>> };
  readonly tool: ToolOption | undefined;
  readonly state: SeenState;
  readonly runtime: MiddlewareRuntime;
}

/**
 * A hook gets `messages` and the channels of its middleware, and may return an update of them, with `jumpTo` if `canJumpTo` names
 * it.
 */
export type MiddlewareHook =
  | MiddlewareFunctions["hook"]
  | { readonly hook: MiddlewareFunctions["hook"]; readonly canJumpTo?: readonly string[] | undefined };

/** The functions of a middleware. As methods they may have parameters of their own types, such as a state with more channels. */
export interface MiddlewareFunctions {
  hook(state: SeenState, runtime: MiddlewareRuntime): unknown;
  askModel(request: Partial<WrappedRequest>): Promise<AIMessage>;
  wrapModelCall(request: WrappedRequest, handler: MiddlewareFunctions["askModel"]): unknown;
  callTool(request: WrappedCall): Promise<ToolMessage | Command>;
  wrapToolCall(request: WrappedCall, handler: MiddlewareFunctions["callTool"]): unknown;
}

/** The places of the hooks in a turn. */
export type HookPlace = "beforeAgent" | "beforeModel" | "afterModel" | "afterAgent";

/**
 * A middleware in the form of LangChain, whose own ones and those of `createMiddleware` fit. A wrapper gets a handler, which it may
 * call once, several times or not at all. Of several middleware the first one is the outermost: its hooks before are the first, and
 * its hooks after the last ones.
 *
 * - `beforeAgent` runs when a turn begins, and `beforeModel` before each reply is asked for: of the first one before the question
 *   is rephrased.
 * - `afterModel` runs when a reply was read. It may ask a person, change the reply, and answer its calls.
 * - `afterAgent` runs when a turn ends, however it ends.
 * - `wrapModelCall` is around the request for the reply of a step. It returns a message, or a `Command` with an update of the channels.
 * - `wrapToolCall` is around the call of a tool. It returns a tool message or a `Command`.
 */
export interface Middleware extends Partial<Readonly<Record<HookPlace, MiddlewareHook>>> {
  readonly name: string;
  /** The channels that the middleware brings along: an object of zod, or a `StateSchema` of LangGraph. */
  readonly stateSchema?: unknown;
  /** The schema of what it takes of the `context` of a run: an object of zod. */
  readonly contextSchema?: unknown;
  /** Tools that the agent gets with it. */
  readonly tools?: readonly ToolOption[];
  readonly wrapModelCall?: MiddlewareFunctions["wrapModelCall"];
  readonly wrapToolCall?: MiddlewareFunctions["wrapToolCall"];
}
