import type { Plugin } from "../core/parts/plugin.js";
import { tracing } from "../middleware/tracing/tracing.js";
import { hooksPlugin } from "./hooks-plugin.js";
import type { AgentOptions } from "./options.js";

/** What plugs into the loop of an agent, from the outside in: ours, and what the user gave. */
export function pluginsOf({ middleware = [], hooks }: Pick<AgentOptions, "middleware" | "hooks">): Plugin[] {
  return [tracing, ...middleware, ...(hooks ? [hooksPlugin(hooks)] : [])];
}
