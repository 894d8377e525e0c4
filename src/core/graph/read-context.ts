import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { InvalidOptionError } from "../../base/errors.js";
import { checkedOption, checkedOptions } from "../../base/options.js";
import { isStrictObject } from "../../base/zod-schema.js";

type Values = Readonly<Record<string, unknown>>;

/** The keys of LangGraph and of its server in a `configurable`. The server copies each header `x-…` there, too. */
const ofServer = /^(?:thread_id|thread_ts|checkpoint_.*|run_id|assistant_id|graph_id|user_id|langgraph_.*|__.*|x-.*)$/;

/**
 * Reads what a run is given with `context`. LangGraph's server has a form that puts the same settings into `configurable`,
 * and its newer protocol accepts them only there. So `configurable` is read, too.
 *
 * @throws InvalidOptionError when the context does not fit its schema, or the two places say different things.
 */
export function readContext(schema: z.ZodObject | undefined, context: Values | undefined, configurable: Values) {
  if (schema === undefined) return context;
  const names = Object.keys(schema.shape).filter((name) => !ofServer.test(name) && configurable[name] !== undefined);
  const given = { ...context };
  for (const name of names) {
    given[name] ??= configurable[name];
    if (isDeepStrictEqual(given[name], configurable[name])) continue;
    throw new InvalidOptionError(`context.${name}`, "configurable has another value for it; give it in one place.");
  }
  return isStrictObject(schema) ? checkedOptions("context", schema, given) : checkedOption("context", schema, given);
}
