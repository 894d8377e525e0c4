import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Hono } from "hono";
import { describeAgent } from "../../agent/known-agents.js";
import { isRecord } from "../../base/is-record.js";
import { mapTexts } from "../../base/map-texts.js";
import { packageFolder } from "../../base/package-folder.js";
import { withoutSecretForms } from "../../base/secrets/without-secrets.js";
import { formsOf } from "../../langgraph/graph-forms.js";
import { type ClientSettings, mayGive } from "../access/client-settings.js";
import type { ServerEnv, ServerParts } from "../server-parts.js";
import { longAnswer, partQuery } from "../wire/bounded.js";
import { answer, queryOf } from "../wire/http-json.js";

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(join(packageFolder(), "package.json"), "utf8"),
);

/** Makes the routes that say what the server is. They need no key. */
export function aboutRoutes(): Hono<ServerEnv> {
  return new Hono<ServerEnv>()
    .get("/ok", (context) => answer(context, { ok: true }))
    .get("/info", (context) =>
      answer(context, {
        version,
        context: "js",
        flags: { assistants: true, crons: false, langsmith: false, langsmith_tracing_replicas: false },
      }),
    );
}

/** Makes the route that tells its caller which agents there are, what may be set for a run, and what the caller may do. */
export function agentsRoute({ graphs, clientSettings }: ServerParts): Hono<ServerEnv> {
  return new Hono<ServerEnv>().get("/glassloop/about", async (context) => {
    const wanted = queryOf(context, partQuery);
    const { may, ...caller } = context.get("caller");
    const agents = graphs.all.map(async ({ name, graph }) => {
      const settings = settingsOf(graph, clientSettings);
      return mapTexts({ name, settings, ...(await describeAgent(graph)) }, withoutSecretForms);
    });
    const head = { version, caller: { ...caller, may: [...may] }, clientSettings };
    return longAnswer(context, { head, name: "agents", items: await Promise.all(agents) }, wanted);
  });
}

/** Returns the JSON schemas of the settings of a graph that clients may give a run, by their names. */
function settingsOf(graph: object, allowed: ClientSettings): object {
  const { context } = formsOf(graph);
  const schemas = isRecord(context) && isRecord(context.properties) ? context.properties : {};
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => mayGive(allowed, name)));
}
