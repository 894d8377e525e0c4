import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Authenticate } from "./access/authenticate.js";
import { checkHost } from "./access/hosts.js";
import { checkOrigin } from "./access/origins.js";
import { checkOwner, findOwner } from "./access/owners.js";
import { checkRights } from "./access/rights.js";
import { limitStreams } from "./access/stream-places.js";
import { aboutRoutes, agentsRoute } from "./routes/about.js";
import { assistantRoutes } from "./routes/assistants.js";
import { commandRoutes } from "./routes/command-routes.js";
import { followRoutes } from "./routes/follow.js";
import { healthRoutes, metricsRoutes } from "./routes/operation.js";
import { ownRoutes } from "./routes/own.js";
import { pageRoutes } from "./routes/page-files.js";
import { readingRoutes } from "./routes/reading.js";
import { runRoutes } from "./routes/runs.js";
import { storeRoutes } from "./routes/store.js";
import { threadRoutes } from "./routes/thread-routes.js";
import { stateRoutes } from "./routes/thread-state.js";
import type { ServerEnv, ServerParts } from "./server-parts.js";
import { errorResponse } from "./wire/error-response.js";
import { RequestError } from "./wire/request-error.js";

/** Who may use a server, and how. */
interface AppOptions {
  readonly page?: boolean | undefined;
  readonly basePath?: string | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
  readonly origins?: readonly string[] | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly authenticate?: Authenticate | undefined;
  readonly maxBodyBytes?: number | undefined;
}

/** Makes the app of a server: its checks, in their order, and its routes. */
export function makeApp(parts: ServerParts, options: AppOptions): Hono<ServerEnv> {
  const { page = true, basePath = "/", allowedHosts = [], origins = [], keys = [], authenticate } = options;
  const whole = new Hono<ServerEnv>();
  const app = whole.basePath(basePath);
  app.onError(errorResponse);
  // The SDK of LangGraph's clients sends a GET that got a 501 again and again.
  app.notFound((context) => {
    const { req } = context;
    const known = app.routes.filter(({ method, path }) => method !== "ALL" && pathPattern(path).test(req.path));
    if (known.length > 0) context.header("Allow", [...new Set(known.map(({ method }) => method))].join(", "));
    const status = known.length > 0 ? 405 : req.method === "POST" ? 501 : 404;
    return errorResponse(new RequestError(status, `This server has no ${req.method} ${req.path}.`), context);
  });
  app.use(refuseGuesses);
  // What looks after containers calls them by addresses that nobody knows beforehand.
  app.route("/", healthRoutes(parts));
  app.use(checkHost(allowedHosts), checkOrigin(origins), refuseNul);
  app.route("/", aboutRoutes());
  // Hono leaves out the slash at the end of a route below a base path.
  if (page) whole.route("/", pageRoutes(basePath));
  app.route("/", metricsRoutes(parts, { keys, hasOwners: authenticate !== undefined }));
  app.use(checkOwner(keys, authenticate), checkRights(), limitBody(options.maxBodyBytes ?? 4_000_000));
  for (const thread of ["/threads/:thread/*", "/glassloop/threads/:thread/*"])
    app.use(thread, findOwner(parts.threads));
  app.use(limitStreams(parts.streams));
  const all = [
    ...[threadRoutes, stateRoutes, runRoutes, commandRoutes, followRoutes],
    ...[agentsRoute, assistantRoutes, storeRoutes, ownRoutes, readingRoutes],
  ];
  for (const routes of all) app.route("/", routes(parts));
  return app;
}

/** Returns the pattern of the paths that a route takes. */
function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:[^/]+/g, "[^/]+")}$`);
}

/** Browsers take a response as what it says it is, and show it to no other site that does not ask as a page that may. */
const refuseGuesses: MiddlewareHandler = async (context, next) => {
  context.header("X-Content-Type-Options", "nosniff");
  context.header("Cross-Origin-Resource-Policy", "same-origin");
  await next();
};

/** No thread and no run has a name with it, and Postgres cannot even look for one. */
const refuseNul: MiddlewareHandler = async ({ req }, next) => {
  if (/^[^?]*%00/.test(req.url)) throw new RequestError(400, "The path of a request has no character NUL.");
  await next();
};

function limitBody(maxSize: number) {
  return bodyLimit({
    maxSize,
    onError: () => {
      throw new RequestError(413, `The body of a request may have ${maxSize} bytes.`);
    },
  });
}
