import type { StateSnapshot } from "@langchain/langgraph";
import { z } from "zod";
import { attempted } from "../../base/attempted.js";
import { outsideTextSchema } from "../../core/state/outside.js";
import { promptRecordSchema } from "../../core/state/prompt-record.js";
import { callsAfterTurn } from "../../graph/undecided.js";
import { RequestError } from "../wire/request-error.js";

/** A call of one tool that a person orders, and no model. */
interface LoneCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const endedSchema = z.object({
  stopReason: z.string(),
  prompt: promptRecordSchema,
  outside: z.array(outsideTextSchema).nullable().default(null),
});

/**
 * Returns the update of a thread, as the node `parse`, with which its next run makes a call. The call is asked about, noted and
 * recorded like one of a model, and joins the last turn. No model is asked, and the answer of the turn stays.
 *
 * @param state The state of the thread.
 * @throws RequestError 409 if the last turn has not ended; 422 if the agent showed its model no such tool, or the input does not
 *   fit the tool.
 */
export function loneCall({ values, tasks }: StateSnapshot, { tool, input }: LoneCall) {
  const ended = endedSchema.safeParse(values).data;
  if (tasks.length > 0 || ended === undefined)
    throw new RequestError(409, "The last turn has not ended. Wait for its end, or decide what it waits for.");
  const { tools } = ended.prompt;
  const shown = tools.find(({ name }) => name === tool);
  if (shown === undefined) {
    const names = tools.map(({ name }) => name).join(", ") || "none";
    throw new RequestError(422, `The agent has no tool "${tool}". Its tools: ${names}.`);
  }
  // A schema may say what zod cannot. The tool then says it.
  const schema = attempted(() => z.fromJSONSchema(shown.parameters ?? {}));
  const misfit = schema?.safeParse(input).error;
  if (misfit) {
    const problems = z.prettifyError(misfit).replaceAll(/\s+/g, " ");
    throw new RequestError(422, `The input does not fit the tool "${tool}": ${problems}`);
  }
  return callsAfterTurn([{ tool, toolInput: { ...input } }], ended.outside ?? []);
}
