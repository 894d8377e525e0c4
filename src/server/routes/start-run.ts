import { v7 as uuid7 } from "@langchain/core/utils/uuid";
import { undefinedOn } from "../../base/attempted.js";
import type { Caller } from "../access/authenticate.js";
import type { Run } from "../engine/run-engine.js";
import type { ServerParts } from "../server-parts.js";
import { graphMetadata } from "../wire/assistant-form.js";
import { judged } from "./judge-run.js";
import { orderOf, type RunBody } from "./run-body.js";

/** Where a run is to be, and who wants it. Without a thread it makes one. */
export interface RunPlace {
  readonly thread: string | undefined;
  readonly owner: string | undefined;
  readonly caller: Caller;
}

/**
 * Makes a run of what a client sent: the one place for all that bring something new to a graph. A run may make its thread.
 *
 * @throws ThreadError "thread-not-found"; RequestError 403, 404; as `orderOf` and `engine.enqueue`
 */
export async function startRun(parts: ServerParts, place: RunPlace, body: RunBody): Promise<Run> {
  const { engine, threads, graphs, clientSettings } = parts;
  const { thread, owner, caller } = place;
  const { name, graph } = graphs.find(body.assistant_id);
  const reading = thread === undefined ? undefined : threads.metadataOf(thread, owner);
  const known = await (body.if_not_exists === "create" ? reading?.catch(undefinedOn("thread-not-found")) : reading);
  const temporary = thread === undefined && body.on_completion !== "keep";
  // A thread that is not known may be of another owner.
  const allowed = await judged(body, caller, graph, known && thread);
  const at = { thread: thread ?? uuid7(), graph: name, owner, temporary };
  const run = await engine.enqueue(orderOf(allowed, at, clientSettings, caller));
  if (!temporary && known?.graph_id !== name) {
    const own = graphMetadata(name);
    await threads.patch(run.thread, owner, known ? own : { ...body.metadata, ...own });
  }
  return run;
}
