import { StateSchema } from "@langchain/langgraph";
import { InvalidOptionError } from "../../base/errors.js";
import { isRecord } from "../../base/is-record.js";
import type { Plugin } from "../parts/plugin.js";
import { AgentState } from "../state/state.js";

/** The channels of an agent with all that its plug-ins bring along. The first of several with one name counts. */
export function stateWith(plugins: readonly Plugin[]): typeof AgentState {
  const channels = Object.assign({}, ...plugins.toReversed().map(channelsOf));
  if (Object.keys(channels).length === 0) return AgentState;
  return new StateSchema<typeof AgentState.fields>({ ...AgentState.fields, ...channels });
}

/**
 * Returns the channels that a plug-in brings along. All may have `messages`.
 *
 * @throws InvalidOptionError when one has the name of a channel of agents.
 */
export function channelsOf({ name, stateSchema: schema }: Plugin): Record<string, unknown> {
  const given = StateSchema.isInstance(schema) ? schema.fields : isRecord(schema) ? schema.shape : undefined;
  const { messages, ...fields } = isRecord(given) ? given : {};
  const own = Object.keys(fields).find((field) => field in AgentState.fields);
  if (own === undefined) return fields;
  throw new InvalidOptionError(
    "middleware",
    `${name} has a channel "${own}", and agents have one; give it another name.`,
  );
}
