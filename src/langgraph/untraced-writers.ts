import { Runnable, type RunnableConfig } from "@langchain/core/runnables";
import {
  type CompiledStateGraph,
  isCommand,
  Overwrite,
  ReducedValue,
  type StateSchemaFields,
} from "@langchain/langgraph";
import { isPlainObject } from "../base/plain-data.js";
import { DirectRunnable } from "./direct-runnable.js";
import { INPUT_CHANNEL, READ_KEY, SEND_KEY } from "./names.js";

/**
 * Makes a compiled graph write faster. After each node LangGraph runs small functions ("writers") that write the update to
 * the channels and follow the edges. LangGraph sets up an asynchronous context and a config for each writer. No writer reads
 * them, and they take a fifth of the time of a step. Here one runnable calls the writers in the same order, and itself sends
 * the values of an update and of a fixed edge.
 *
 * For each conditional edge LangGraph applies the update to a copy of the channels, so that the edge reads the state after
 * the update. Here an edge reads the old state with the values of the update put over it. The two differ only for channels
 * with a reducer, which no edge of an agent reads.
 *
 * The writers of a node stay as they are if one has an unknown shape. They do the same, only slower.
 */
export function untraceWriters(graph: Pick<CompiledStateGraph<unknown, unknown>, "nodes">, state: State): void {
  const check = updateChecker(state);
  for (const [name, node] of Object.entries(graph.nodes)) {
    const { writers } = node;
    if (!writers.every(isUntracedCallable)) continue;
    // The input has writers only. They stay a sequence, as callbacks are told of sequences.
    const parts = name === INPUT_CHANNEL ? [writers.slice(0, 1), writers.slice(1)] : [writers];
    node.writers = parts.map((part) => joined(part, check));
  }
}

/** An untraced `RunnableCallable` of LangGraph. A `ChannelWrite` is one, too, and its `writes` may hold others. */
interface UntracedCallable extends Runnable {
  readonly trace: false;
  readonly func: Write;
  readonly writes?: readonly ChannelEntry[];
}

/** An entry of a `ChannelWrite`: a value for a channel, or a mapper that makes such values of an update. */
interface ChannelEntry {
  readonly channel?: unknown;
  readonly value?: unknown;
  readonly mapper?: Runnable;
}

type Config = Partial<RunnableConfig>;
type Write = (input: unknown, config: Config) => unknown;
type Send = (values: readonly [channel: string, value: unknown][]) => void;

function isUntracedCallable(runnable: Runnable): runnable is UntracedCallable {
  return "trace" in runnable && runnable.trace === false && "func" in runnable && typeof runnable.func === "function";
}

/** Makes one writer of several. Each gets what the one before returned, as in a sequence of LangChain. */
function joined(writers: readonly UntracedCallable[], check: UpdateChecker): DirectRunnable<unknown, unknown> {
  const writes = writers.map((writer) => untraced(writer, check));
  const idle = new Map<Write, boolean>();
  return new DirectRunnable(writers.map((writer) => writer.getName()).join(", "), async (update, config) => {
    const plain = isPlain(update);
    const seen = plain ? withUpdate(config, update) : config;
    let result = update;
    for (const write of writes) {
      // Some writers only handle commands, and do nothing for a plain update.
      if (plain && idle.get(write)) continue;
      const watched = plain && !idle.has(write) ? watch(seen) : undefined;
      const written = write(result, watched?.config ?? seen);
      result = written instanceof Promise ? await written : written;
      if (watched) idle.set(write, !watched.hasActed());
    }
    return result;
  });
}

/** Tells whether a node returned values for the channels, and no command. */
function isPlain(update: unknown): update is Readonly<Record<string, unknown>> {
  return isPlainObject(update) && !isCommand(update);
}

function untraced({ func, writes }: UntracedCallable, check: UpdateChecker): Write {
  async function write(input: unknown, config: Config): Promise<unknown> {
    const result = await func(input, config);
    return Runnable.isRunnable(result) ? result.invoke(input, config) : result;
  }
  if (writes === undefined) return write;
  return (input, config) => {
    const values = isPlain(input) ? valuesFor(writes, input, check) : undefined;
    const send: Send | undefined = config.configurable?.[SEND_KEY];
    if (values === undefined || send === undefined) return write(input, config);
    send(values);
    return input;
  };
}

/** Returns the values that a `ChannelWrite` sends, or undefined if LangGraph itself has to compute them. */
function valuesFor(
  entries: readonly ChannelEntry[],
  update: Readonly<Record<string, unknown>>,
  check: UpdateChecker,
): [string, unknown][] | undefined {
  const values: [string, unknown][] = [];
  for (const { channel, value, mapper } of entries) {
    if (channel === undefined && mapper !== undefined) {
      const checked = check(update);
      if (checked === undefined) return undefined;
      values.push(...checked);
    } else if (typeof channel === "string" && mapper === undefined && (value === null || typeof value === "string")) {
      values.push([channel, value]);
    } else return undefined;
  }
  return values;
}

type Read = (channels: unknown, fresh?: boolean) => unknown;

/** Returns a config in which the state is the one before an update, with the update. */
function withUpdate(config: Config, update: Readonly<Record<string, unknown>>): Config {
  const read: Read | undefined = config.configurable?.[READ_KEY];
  if (read === undefined) return config;
  const readBoth: Read = (channels) => ({ ...Object(read(channels)), ...update });
  return { ...config, configurable: { ...config.configurable, [READ_KEY]: readBoth } };
}

/** Returns a config that notes whether a writer reads the state or writes to a channel. */
function watch(config: Config): { readonly config: Config; readonly hasActed: () => boolean } {
  let acted = false;
  const watched = (key: string) => {
    const method: ((...given: unknown[]) => unknown) | undefined = config.configurable?.[key];
    const noted = (...given: unknown[]) => {
      acted = true;
      return method?.(...given);
    };
    return method && { [key]: noted };
  };
  const configurable = { ...config.configurable, ...watched(READ_KEY), ...watched(SEND_KEY) };
  return { config: { ...config, configurable }, hasActed: () => acted };
}

/** The fields of a state, such as those of a `StateSchema`. */
interface State {
  readonly fields: StateSchemaFields;
}

/** Returns the values of an update for the channels, or undefined for an update that only LangGraph can validate. */
type UpdateChecker = (update: Readonly<Record<string, unknown>>) => [string, unknown][] | undefined;

/**
 * Makes the function that checks an update of a state as LangGraph does. LangGraph awaits each value several times, which
 * takes a twentieth of the time of a step. An update that is invalid or unusual is left to LangGraph.
 */
function updateChecker({ fields }: State): UpdateChecker {
  const schemas = new Map(Object.entries(fields).map(([channel, field]) => [channel, schemaOf(field)]));
  return (update) => {
    const values: [string, unknown][] = [];
    for (const [channel, value] of Object.entries(update)) {
      const checked = Overwrite.isInstance(value) ? undefined : schemas.get(channel)?.["~standard"].validate(value);
      if (checked === undefined || checked instanceof Promise || checked.issues) return undefined;
      values.push([channel, checked.value]);
    }
    return values;
  };
}

function schemaOf(field: StateSchemaFields[string]) {
  if (ReducedValue.isInstance(field)) return field.inputSchema;
  return "~standard" in field ? field : undefined;
}
