import type { Caller } from "../access/authenticate.js";
import { demand } from "../access/rights.js";
import { questionsSchema } from "../engine/questions.js";
import type { ServedGraph } from "../engine/served-graph.js";
import { readHead, refuseSaid } from "../engine/thread-head.js";
import { RequestError } from "../wire/request-error.js";
import type { RunBody } from "./run-body.js";

/**
 * Judges what a run asks for by the rights of its caller, and by what its thread holds.
 *
 * @returns The body, which begins where the thread stands unless the caller may write.
 * @throws RequestError 403
 */
export async function judged(body: RunBody, caller: Caller, graph: ServedGraph, thread?: string): Promise<RunBody> {
  const { command, input } = body;
  const isMore = command?.update != null || command?.goto != null;
  if (isMore) demand(caller, "write");
  // Without an input a run goes on from where somebody let it stop.
  const decides = command ? !isMore || command.resume !== undefined : input == null;
  if (decides) demand(caller, "decide");
  else if (!command) demand(caller, "ask");
  const allowed = await judgedPlace(body, caller, graph, thread);
  if (caller.may.has("write") || decides) return allowed;
  const questions = questionsSchema.safeParse(input).data;
  if (questions === undefined)
    throw new RequestError(403, "Who may only ask sends messages of a person, with their content and a new id.");
  if (thread !== undefined) refuseSaid(questions, await readHead(graph, thread));
  return allowed;
}

/** Judges where a run begins and how it is run. @throws RequestError 403 */
export async function judgedPlace(
  body: RunBody,
  caller: Caller,
  graph: ServedGraph,
  thread?: string,
): Promise<RunBody> {
  if (caller.may.has("write")) return body;
  const { checkpoint, checkpoint_id, config, ...rest } = body;
  const { checkpoint_id: id, checkpoint_ns, checkpoint_map, ...configurable } = config?.configurable ?? {};
  const named = [checkpoint?.checkpoint_id, checkpoint_id, id].filter((one) => one != null);
  const newest = named.length > 0 && thread !== undefined ? (await readHead(graph, thread)).checkpoint : undefined;
  const inside = [checkpoint?.checkpoint_ns, checkpoint_ns, checkpoint?.checkpoint_map, checkpoint_map];
  const { interrupt_before: before, interrupt_after: after, durability, multitask_strategy: strategy } = body;
  const isFree =
    named.every((one) => one === newest) &&
    inside.every(isNothing) &&
    isNothing(before) &&
    isNothing(after) &&
    durability == null &&
    strategy !== "rollback";
  if (!isFree) demand(caller, "write");
  // By the time of the run the thread may stand elsewhere.
  return { ...rest, ...(config && { config: { ...config, configurable } }) };
}

function isNothing(value: unknown): boolean {
  return value == null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}
