import { type StructuredToolInterface, type ToolRunnableConfig, tool } from "@langchain/core/tools";
import { z } from "zod";
import { restReader } from "../prompts/long-text.js";

/** The characters that a call returns. */
const mostCharacters = 10_000;

const stateSchema = z.object({
  state: z.object({
    intermediateSteps: z.array(
      z.object({ results: z.array(z.object({ action: z.object({ id: z.string() }), observation: z.string() })) }),
    ),
  }),
});

/**
 * A tool by which the model reads the rest of an observation that its prompt shows only in part (see the option
 * `maxObservationCharacters`). The notice in the prompt names the call and the place. A call returns up to 10,000 characters of an
 * observation of this turn, as the tool gave it.
 *
 * @example
 * createAgent({ model, tools: [documentSearch({ folder }), readObservation()] });
 */
export function readObservation(): StructuredToolInterface {
  return tool(({ id, from }, config: ToolRunnableConfig) => read(id, from, config), {
    name: restReader,
    description: "Reads on in an observation that was too long to show. Take id and from of the notice in it.",
    schema: z.object({
      id: z.string().describe("The id of the observation, as the notice in it says."),
      from: z.int().min(0).default(0).describe("The number of characters before the part to read."),
    }),
    metadata: { untrusted: true },
  });
}

function read(id: string, from: number, config: ToolRunnableConfig): string {
  const { intermediateSteps } = stateSchema.parse(config).state;
  const results = intermediateSteps.flatMap((step) => step.results);
  const observation = results.find(({ action }) => action.id === id)?.observation;
  if (observation === undefined) {
    const ids = results.map(({ action }) => action.id).join(", ");
    return `There is no observation ${JSON.stringify(id)} in this turn. ${ids ? `There are: ${ids}.` : "There is none yet."}`;
  }
  const end = Math.min(observation.length, from + mostCharacters);
  if (from >= end) return `The observation has ${observation.length} characters. Give a smaller number as from.`;
  const next = end < observation.length ? ` Read on with from ${end}.` : "";
  return `Characters ${from} to ${end} of ${observation.length}.${next}\n${observation.slice(from, end)}`;
}
