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
  { engine, streams, countRuns }: Pick<ServerParts, "engine" | "streams" | "countRuns">,
  { keys, hasOwners }: { readonly keys: readonly string[]; readonly hasOwners: boolean },
): Hono<ServerEnv> {
  return new Hono<ServerEnv>().get("/metrics", async (context) => {
    const { headers } = context.req.raw;
    if ((keys.length > 0 || hasOwners) && !hasKey(keys, headers)) {
      throw new RequestError(401, "Metrics need a key of the server: set keys, and send one as X-Api-Key.");
    }
    const { byStatus, queueAgeMs, engines } = await countRuns();
    const runs = runStatuses.map((status) => `glassloop_runs{status="${status}"} ${byStatus.get(status) ?? 0}`);
    const values = [
      ["glassloop_engines", "Servers and workers on the database that give a sign of life.", engines],
      ["glassloop_active_runs", "Runs that this process executes.", engine.activeRuns],
      ["glassloop_open_streams", "Streams of events that are open.", streams.open],
      ["glassloop_queue_age_seconds", "The time that the oldest pending run has waited.", queueAgeMs / 1_000],
    ] as const;
    const lines = [
      ...metric("glassloop_runs", "Runs in the database, by status.", runs),
      ...values.flatMap(([name, help, value]) => metric(name, help, [`${name} ${value}`])),
    ];
    return context.text(`${lines.join("\n")}\n`, 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" });
  });
}

function metric(name: string, help: string, values: readonly string[]): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...values];
}
