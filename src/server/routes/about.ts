import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Hono } from "hono";
import type { ServerEnv } from "../server-parts.js";
import { answer } from "../wire/http-json.js";

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve("glassloop/package.json"), "utf8"),
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
