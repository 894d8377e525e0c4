import { Hono } from "hono";
import { hasKey } from "../access/keys.js";
import type { ServerEnv, ServerParts } from "../server-parts.js";
import { answer } from "../wire/http-json.js";
import { RequestError } from "../wire/request-error.js";

/** Makes the route that says whether the server works. It needs no key, and may be called by any name. */
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
    const { pending, running, queueAgeMs, engines } = await countRuns();
    const { activeRuns, endedRuns } = engine;
    const lines = [
      ...metric("glassloop_runs", "gauge", "Runs in the database that have not ended.", [
        ['{status="pending"}', pending],
        ['{status="running"}', running],
      ]),
      ...metric("glassloop_queue_age_seconds", "gauge", "The time that the oldest pending run has waited.", [
        ["", queueAgeMs / 1_000],
      ]),
      ...metric("glassloop_engines", "gauge", "Servers and workers on the database that give a sign of life.", [
        ["", engines],
      ]),
      ...metric("glassloop_active_runs", "gauge", "Runs that this process executes.", [["", activeRuns]]),
      ...metric(
        "glassloop_ended_runs_total",
        "counter",
        "Runs that ended in this process.",
        [...endedRuns].map(([status, count]) => [`{status="${status}"}`, count]),
      ),
      ...metric("glassloop_open_streams", "gauge", "Streams of events that are open.", [["", streams.open]]),
    ];
    return context.text(`${lines.join("\n")}\n`, 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" });
  });
}

function metric(
  name: string,
  type: "counter" | "gauge",
  help: string,
  values: readonly (readonly [labels: string, value: number])[],
): string[] {
  const lines = values.map(([labels, value]) => `${name}${labels} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}
