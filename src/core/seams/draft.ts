import { isDeepStrictEqual } from "node:util";
import { AIMessage, BaseMessage, RemoveMessage } from "@langchain/core/messages";
import { interopParse, interopSafeParse, isInteropZodSchema } from "@langchain/core/utils/types";
import {
  GraphInterrupt,
  isGraphInterrupt,
  type LangGraphRunnableConfig,
  messagesStateReducer,
  Overwrite,
  ReducedValue,
} from "@langchain/langgraph";
import { InvalidOptionError } from "../../base/errors.js";
import { isRecord } from "../../base/is-record.js";
import { checkedResult } from "../../base/options.js";
import { questionsAsked } from "../../langgraph/answers.js";
import { messagesSchema, withContent } from "../../langgraph/message-form.js";
import type { HookPlace, MiddlewareFunctions, MiddlewareRuntime, SeenState } from "../parts/middleware.js";
import type { Plugin } from "../parts/plugin.js";
import type { AgentStateValues } from "../state/state.js";
import { allChannels, channelsOf, contextNamesOf } from "./channels.js";
import { showQuestion } from "./seams.js";

/** What a state has of its messages a second time. */
export type Copies = Partial<Pick<AgentStateValues, "turn" | "question" | "intermediateSteps">>;

/**
 * The state in a node, as the hooks of plug-ins see and change it, one after the other. What they changed becomes a part of the
 * update of the node: a hook is no super-step of its own, and runs again with its node.
 */
export class Draft {
  readonly #channels: Readonly<Record<string, unknown>>;
  readonly #values: Record<string, unknown>;
  readonly #changed = new Set<string>();
  messages: BaseMessage[];
  /** What is written anew of the copies, as the messages are others now. */
  copies: Copies = {};
  /** The messages after the last hook that asked a person: what was decided. */
  decided: readonly BaseMessage[] | undefined;

  constructor(
    private readonly given: AgentStateValues,
    private readonly plugins: readonly Plugin[],
  ) {
    this.messages = given.messages;
    this.#channels = allChannels(plugins);
    this.#values = Object.fromEntries(
      Object.entries(this.#channels).map(([name, channel]) => [name, Reflect.get(given, name) ?? defaultOf(channel)]),
    );
  }

  /** The state with what the hooks changed. */
  get state(): AgentStateValues {
    return { ...this.given, ...this.#values, ...this.copies, messages: this.messages };
  }

  /**
   * Runs the hooks of a place. What one changes in a message in place counts like what it returns.
   *
   * @returns The place to which one of them jumps, after which no other one runs.
   */
  async run(place: HookPlace, config: LangGraphRunnableConfig): Promise<string | undefined> {
    for (const plugin of place.startsWith("after") ? this.plugins.toReversed() : this.plugins) {
      const given = plugin[place];
      if (given === undefined) continue;
      const { hook, canJumpTo = [] } = typeof given === "function" ? { hook: given } : given;
      const asked = questionsAsked(config);
      const seen = this.seenBy(plugin);
      const copies = [...seen.messages];
      const result = await this.#call(plugin, hook, seen, config);
      const isSame = isDeepStrictEqual(seen.messages, copies) && copies.every((copy) => asGiven(copy) !== copy);
      if (!isSame) this.apply({ messages: new Overwrite(seen.messages) });
      const { jumpTo, ...update } = isRecord(result) ? result : {};
      this.apply(update);
      if (questionsAsked(config) > asked) this.decided = this.messages;
      if (jumpTo === undefined) continue;
      if (typeof jumpTo === "string" && canJumpTo.includes(jumpTo) && jumps[place].includes(jumpTo)) return jumpTo;
      const possible = `name it in canJumpTo; the possible places are ${jumps[place].join(", ")}.`;
      throw new InvalidOptionError("middleware", `${plugin.name}.${place} jumps to ${jumpTo}; ${possible}`);
    }
    return undefined;
  }

  async #call(
    plugin: Plugin,
    hook: MiddlewareFunctions["hook"],
    seen: SeenState,
    config: LangGraphRunnableConfig,
  ): Promise<unknown> {
    try {
      return await Reflect.apply(hook, plugin, [seen, runtimeFor(plugin, config)]);
    } catch (error) {
      throw this.#asShown(error, plugin.name);
    }
  }

  /** Returns an error whose questions are as plug-ins show them. */
  #asShown(error: unknown, by: string): unknown {
    if (!isGraphInterrupt(error)) return error;
    const asked = { by, messages: this.messages };
    return new GraphInterrupt(
      error.interrupts.map((one) => ({ ...one, value: showQuestion(this.plugins, one.value, asked) })),
    );
  }

  /** Takes an update. A hook may return the whole state, so only what it changed counts. */
  apply(update: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(update)) {
      if (name === "messages" && value !== undefined) this.#addMessages(value);
      const channel = this.#channels[name];
      if (channel === undefined || value === undefined || value === this.#values[name]) continue;
      this.#changed.add(name);
      if (Overwrite.isInstance(value)) this.#values[name] = value.value;
      else this.#values[name] = ReducedValue.isInstance(channel) ? channel.reducer(this.#values[name], value) : value;
    }
  }

  /** The messages that the hooks changed or added, and the removals of those that they took out. */
  get changes(): BaseMessage[] {
    const known = new Set(this.given.messages);
    const ids = new Set(this.messages.map(({ id }) => id));
    const removed = this.given.messages.filter(({ id }) => !ids.has(id));
    const removals = removed.map(({ id = "" }) => new RemoveMessage({ id }));
    return [...removals, ...this.messages.filter((message) => !known.has(message))];
  }

  /**
   * Returns what the hooks changed, together with what the node writes. The list of messages is written anew if one was put
   * between others.
   */
  update<Own extends object>(own: Own & { readonly messages?: BaseMessage[] }) {
    // Most nodes have no hook that changed a message, and their messages are then not looked at.
    if (this.messages === this.given.messages) return { ...this.channels, ...own };
    if (own.messages) this.apply({ messages: own.messages });
    const { changes } = this;
    const joined = changes.length === 0 ? this.messages : messagesStateReducer(this.given.messages, changes);
    const isInOrder = joined.every(({ id }, n) => id === this.messages[n]?.id);
    const messages = isInOrder ? changes : new Overwrite(this.messages);
    return { ...this.channels, ...own, ...(changes.length > 0 && { messages }) };
  }

  /** The channels that the hooks changed, and the copies. */
  get channels(): Record<string, unknown> {
    const { intermediateSteps: steps, ...copies } = this.copies;
    const changed = [...this.#changed].map((name) => {
      const value = this.#values[name];
      return [name, ReducedValue.isInstance(this.#channels[name]) ? new Overwrite(value) : value];
    });
    const anew = { ...copies, ...(steps && { intermediateSteps: new Overwrite(steps) }) };
    return { ...Object.fromEntries(changed), ...anew };
  }

  #addMessages(given: unknown): void {
    const [before, added] = Overwrite.isInstance(given) ? [[], given.value] : [this.messages, given];
    const messages = checkedResult("middleware", "update of messages", messagesSchema, [added].flat());
    this.messages = messagesStateReducer([...before], messages.map(asGiven));
  }

  /** Returns the messages and the channels of a plug-in. The messages are copies, as a hook may change them in place. */
  seenBy(plugin: Plugin): SeenState {
    const own = Object.keys(channelsOf(plugin)).map((name) => [name, this.#values[name]]);
    return { ...Object.fromEntries(own), messages: this.messages.map(copyOf) };
  }
}

/** Where hooks may jump to. `model` is what follows anyway before the model, and before `beforeModel` hooks. */
const jumps: Readonly<Record<HookPlace, readonly string[]>> = {
  beforeAgent: ["model", "end"],
  beforeModel: ["model", "end"],
  afterModel: ["model", "tools", "end"],
  afterAgent: ["end"],
};

/** Returns what a hook gets beside the state, as in LangChain. */
export function runtimeFor(plugin: Plugin, config: LangGraphRunnableConfig): MiddlewareRuntime {
  const { contextSchema: schema } = plugin;
  const { store, configurable, writer, interrupt, signal, context: given = {} } = config;
  const names = contextNamesOf(plugin) ?? Object.keys(given);
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
  const context = isInteropZodSchema(schema) ? interopParse(schema, own) : own;
  return { context, store, configurable, writer, interrupt, signal };
}

/** Returns the value of a channel that was not written yet. A thread may be older than the plug-in. */
function defaultOf(channel: unknown): unknown {
  const schema = ReducedValue.isInstance(channel) ? channel.valueSchema : channel;
  const { success, data } = isInteropZodSchema(schema)
    ? interopSafeParse(schema, undefined)
    : { success: false, data: undefined };
  return success ? data : undefined;
}

const originals = new WeakMap<object, BaseMessage>();

/** Returns a copy of a message, which may be changed in place. */
export function copyOf<Message extends BaseMessage>(message: Message): Message {
  const { content } = message;
  const copy = withContent(message, typeof content === "string" ? content : structuredClone(content));
  copy.additional_kwargs = { ...message.additional_kwargs };
  copy.response_metadata = { ...message.response_metadata };
  if (AIMessage.isInstance(copy) && copy.tool_calls?.length) copy.tool_calls = structuredClone(copy.tool_calls);
  originals.set(copy, message);
  return copy;
}

/** Returns the message that a copy was made of, if nobody changed the copy. Anything else is returned as it is. */
export function asGiven<Value>(value: Value): BaseMessage | Value {
  const original = BaseMessage.isInstance(value) ? originals.get(value) : undefined;
  return original !== undefined && isDeepStrictEqual(original, value) ? original : value;
}
