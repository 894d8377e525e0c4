import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { InvalidOptionError } from "../base/errors.js";
import { checkedOption, checkedOptions } from "../base/options.js";
import { isStrictObject } from "../base/zod-schema.js";

type Values = Readonly<Record<string, unknown>>;

/** Who takes something of a context: the agent, by a schema, and plug-ins. */
export interface ContextTakers {
  readonly context: z.ZodObject | undefined;
  readonly contextNames: readonly string[];
}

/** The keys of LangGraph and of its server in a `configurable`. The server copies each header `x-…` there, too. */
const ofServer = /^(?:thread_id|thread_ts|checkpoint_.*|run_id|assistant_id|graph_id|user_id|langgraph_.*|__.*|x-.*)$/;

/**
 * Reads what a run is given with `context`. LangGraph's server has a form that puts the same settings into `configurable`,
 * and its newer protocol accepts them only there. So `configurable` is read, too. What plug-ins take is left to them.
 *
 * @throws InvalidOptionError when the context does not fit its schema, or the two places say different things.
 */
export function readContext(
  { context: schema, contextNames }: ContextTakers,
  context: Values | undefined,
  configurable: Values,
) {
  const own = Object.keys(schema?.shape ?? {});
  const names = [...own, ...contextNames].filter((name) => !ofServer.test(name) && configurable[name] !== undefined);
  if (schema === undefined && names.length === 0) return context;
  const given = { ...context };
  for (const name of names) {
    given[name] ??= configurable[name];
    if (isDeepStrictEqual(given[name], configurable[name])) continue;
    throw new InvalidOptionError(`context.${name}`, "configurable has another value for it; give it in one place.");
  }
  if (schema === undefined) return given;
  const others = contextNames.filter((name) => name in given && !own.includes(name));
  const ofPlugins = Object.fromEntries(others.map((name) => [name, given[name]]));
  for (const name of others) delete given[name];
  const check = isStrictObject(schema) ? checkedOptions : checkedOption;
  return { ...ofPlugins, ...check("context", schema, given) };
}
