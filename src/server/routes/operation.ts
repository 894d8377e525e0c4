import { Hono } from "hono";
import { hasKey } from "../access/keys.js";
import { runStatuses } from "../engine/run-engine.js";
import type { ServerEnv, ServerParts } from "../server-parts.js";
import { answer } from "../wire/answers.js";
import { RequestError } from "../wire/request-error.js";

/** Makes the route that says whether the server works. It needs no key. */
export function healthRoutes({ health }: Pick<ServerParts, "health">): Hono<ServerEnv> {
  return new Hono<ServerEnv>().get("/health", async (context) => {
    await health.check();
    return answer(context, { ok: true });
  });
}

/**
 * Makes the route of metrics, in the text form of Prometheus. They count what all owners have, so a server with owners gives them
 * only to who has a key of the server.
 */
export function metricsRoutes(
  { streams, countRuns }: Pick<ServerParts, "streams" | "countRuns">,
  { keys, hasOwners }: { readonly keys: readonly string[]; readonly hasOwners: boolean },
): Hono<ServerEnv> {
  return new Hono<ServerEnv>().get("/metrics", async (context) => {
    const { headers } = context.req.raw;
    if ((keys.length > 0 || hasOwners) && !hasKey(keys, headers)) {
      throw new RequestError(401, "Metrics need a key of the server: set keys, and send one as X-Api-Key.");
    }
    const { byStatus, queueAgeMs } = await countRuns();
    const runs = runStatuses.map((status) => `glassloop_runs{status="${status}"} ${byStatus.get(status) ?? 0}`);
    const lines = [
      ...metric("glassloop_runs", "Runs in the database, by status.", runs),
      ...metric("glassloop_open_streams", "Streams of events that are open.", [
        `glassloop_open_streams ${streams.open}`,
      ]),
      ...metric("glassloop_queue_age_seconds", "The time that the oldest pending run has waited.", [
        `glassloop_queue_age_seconds ${queueAgeMs / 1_000}`,
      ]),
    ];
    return context.text(`${lines.join("\n")}\n`, 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" });
  });
}

function metric(name: string, help: string, values: readonly string[]): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...values];
}
