import { RequestError } from "../wire/request-error.js";

/** The settings that clients may give a run: their names, or all. */
export type ClientSettings = readonly string[] | "all";

/** The parts of `configurable` that say where a run starts, and not how. */
const places = new Set(["thread_id", "checkpoint_id", "checkpoint_ns", "checkpoint_map", "graph_id", "assistant_id"]);

/**
 * Checks the settings of a run: its `context` and its `configurable`. What begins with two underscores belongs to LangGraph and to
 * Glassloop, and to no client.
 *
 * @throws RequestError 422, which names the first setting that clients may not give.
 */
export function checkSettings(
  allowed: ClientSettings,
  context: Readonly<Record<string, unknown>> = {},
  configurable: Readonly<Record<string, unknown>> = {},
): void {
  const given = [...Object.keys(context), ...Object.keys(configurable).filter((name) => !places.has(name))];
  const refused = given.find((name) => !mayGive(allowed, name));
  if (refused === undefined) return;
  throw new RequestError(422, `The setting "${refused}" belongs to the server. ${possible(allowed)}`);
}

/** Tells whether a client may give a setting. */
export function mayGive(allowed: ClientSettings, name: string): boolean {
  return !name.startsWith("__") && (allowed === "all" || allowed.includes(name));
}

function possible(allowed: ClientSettings): string {
  if (allowed === "all") return "Leave it out.";
  return allowed.length === 0 ? "Clients set nothing here." : `Clients may set: ${allowed.join(", ")}.`;
}
