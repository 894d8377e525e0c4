import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { z } from "zod";
import { isRecord } from "../base/is-record.js";
import { checkedOption } from "../base/options.js";
import type { AgentStateValues } from "../core/state/state.js";

/** What the functions among an agent's options are given. */
export interface RunView<Context = Record<string, unknown>> {
  /** What the run was given with `context`. It is never stored. */
  readonly context: Context;
  /** The state of the thread, as the node at work finds it. */
  readonly state: AgentStateValues;
}

/** Returns what the functions of an agent are given in a node. */
export function runView(state: AgentStateValues, { context }: LangGraphRunnableConfig): RunView {
  return { context: isRecord(context) ? context : {}, state };
}

/** An option, or a function that returns it for a run. */
export type ForRun<Value, Context> = Value | ((view: RunView<Context>) => Value | Promise<Value>);

/**
 * Returns the value of an option for a run.
 *
 * @throws InvalidOptionError when a function returns what the option cannot be.
 */
export async function valueFor<Value, Context>(
  name: string,
  option: ForRun<Value, Context>,
  view: RunView<Context>,
  schema: z.ZodType,
): Promise<Value> {
  if (!isFunction(option)) return option;
  const value = await option(view);
  checkedOption(name, schema, value);
  return value;
}

/** Tells whether an option is a function of the run. */
export function isFunction<Value, Context>(
  option: ForRun<Value, Context>,
): option is Extract<ForRun<Value, Context>, (view: RunView<Context>) => Value | Promise<Value>> {
  return typeof option === "function";
}
