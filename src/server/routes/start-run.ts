import { createHash } from "node:crypto";
import { v7 as uuid7 } from "@langchain/core/utils/uuid";
import { undefinedOn } from "../../base/attempted.js";
import type { Caller } from "../access/authenticate.js";
import type { Run, RunInput } from "../engine/run-engine.js";
import type { ServerParts } from "../server-parts.js";
import { graphMetadata } from "../wire/assistant-form.js";
import { RequestError } from "../wire/request-error.js";
import { judged } from "./judge-run.js";
import { orderOf, type RunBody } from "./run-body.js";

/** Where a run is to be, and who wants it. Without a thread it makes one. */
export interface RunPlace {
  readonly thread: string | undefined;
  readonly owner: string | undefined;
  readonly caller: Caller;
  /** What tells a request that is sent again from another one, as its client says. */
  readonly key?: string | undefined;
}

/**
 * Makes a run of what a client sent: the one place for all that bring something new to a graph. A run may make its thread.
 * A request that is sent again, with its key, gets the run that it made.
 *
 * @throws ThreadError "thread-not-found"; RequestError 403, 404, 422; as `orderOf` and `engine.enqueue`
 */
export async function startRun(parts: ServerParts, place: RunPlace, body: RunBody): Promise<Run> {
  const { engine, threads, graphs, clientSettings } = parts;
  const { thread, owner, caller } = place;
  const { name, graph } = graphs.find(body.assistant_id);
  const reading = thread === undefined ? undefined : threads.metadataOf(thread, owner);
  const known = await (body.if_not_exists === "create" ? reading?.catch(undefinedOn("thread-not-found")) : reading);
  const id = place.key === undefined ? uuid7() : idFor(place.key, place);
  const findMade = async () => (place.key === undefined ? undefined : madeOf(await engine.get(id), name, body));
  const made = await findMade();
  if (made) return made;
  const temporary = thread === undefined && body.on_completion !== "keep";
  // A thread that is not known may be of another owner.
  const allowed = await judged(body, caller, graph, known && thread);
  const at = { thread: thread ?? uuid7(), graph: name, owner, temporary };
  const order = { ...orderOf(allowed, at, clientSettings, caller), id };
  const run = await engine.enqueue(order).catch(async (error: unknown) => {
    // The same request may have come at the same time.
    const made = await findMade();
    if (made === undefined) throw error;
    return made;
  });
  if (!temporary && known?.graph_id !== name) {
    const own = graphMetadata(name);
    await threads.patch(run.thread, owner, known ? own : { ...body.metadata, ...own });
  }
  return run;
}

/** Returns the id of the run for a key: another one for each owner and thread. */
function idFor(key: string, { owner, thread }: RunPlace): string {
  const hash = createHash("sha256").update(JSON.stringify([owner, thread, key]));
  return hash.digest("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

/** Returns the run that a request made before. @throws RequestError 422 if that was another request. */
function madeOf(run: Run | undefined, graph: string, { input, command }: RunBody): Run | undefined {
  const said = (name: string, given: Pick<RunInput, "input" | "command">) =>
    JSON.stringify([name, given.input ?? null, given.command ?? null]);
  if (run !== undefined && said(run.graph, run.given) !== said(graph, { input, command }))
    throw new RequestError(422, "This Idempotency-Key was sent with another assistant or input.");
  return run;
}
