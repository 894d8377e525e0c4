import { StateSchema } from "@langchain/langgraph";
import { InvalidOptionError } from "../../base/errors.js";
import { isRecord } from "../../base/is-record.js";
import type { Plugin } from "../parts/plugin.js";
import { AgentState } from "../state/state.js";

/** The channels of an agent with all that its plug-ins bring along. */
export function stateWith(plugins: readonly Plugin[]): typeof AgentState {
  const channels = allChannels(plugins);
  if (Object.keys(channels).length === 0) return AgentState;
  return new StateSchema<typeof AgentState.fields>({ ...AgentState.fields, ...channels });
}

/** The channels that plug-ins bring along. The first of several with one name counts. */
export function allChannels(plugins: readonly Plugin[]): Record<string, unknown> {
  return Object.assign({}, ...plugins.toReversed().map(channelsOf));
}

const otherSchema = "is not possible; give a schema of zod for an object, or a StateSchema of LangGraph.";

/**
 * Returns the channels that a plug-in brings along. All may have `messages`.
 *
 * @throws InvalidOptionError when one has the name of a channel of agents, or the schema is of another kind.
 */
export function channelsOf({ name, stateSchema: schema }: Plugin): Record<string, unknown> {
  if (schema === undefined) return {};
  const given = StateSchema.isInstance(schema) ? schema.fields : isRecord(schema) && schema.shape;
  if (!isRecord(given)) throw new InvalidOptionError("middleware", `the stateSchema of ${name} ${otherSchema}`);
  const { messages, ...fields } = given;
  const own = Object.keys(fields).find((field) => field in AgentState.fields);
  if (own === undefined) return fields;
  throw new InvalidOptionError(
    "middleware",
    `${name} has a channel "${own}", and agents have one; give it another name.`,
  );
}

/** Returns the names of what a plug-in takes of the context of a run. Returns undefined if its schema does not tell. */
export function contextNamesOf({ contextSchema: schema }: Plugin): string[] | undefined {
  return isRecord(schema) && isRecord(schema.shape) ? Object.keys(schema.shape) : undefined;
}
