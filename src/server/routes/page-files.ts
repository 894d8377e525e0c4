import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { type Context, Hono } from "hono";
import { packageFolder } from "../../base/package-folder.js";
import type { ServerEnv } from "../server-parts.js";
import { RequestError } from "../wire/request-error.js";

const index = "index.html";
const folder = join(packageFolder(), "dist/page");

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The page takes code from its own server only, and stands in no page of others: its buttons decide about calls. */
const security = [
  "default-src 'self'; img-src 'self' data: blob:; base-uri 'none'",
  "form-action 'none'; frame-ancestors 'none'; object-src 'none'",
].join("; ");

/** Makes the routes of the page that `npm run build` makes. They need no key: it holds no data. */
export function pageRoutes(basePath: string): Hono<ServerEnv> {
  // What the page loads, and asks, is relative to its address, which ends in a slash.
  const root = `${basePath.replace(/\/+$/, "")}/`;
  const routes = new Hono<ServerEnv>()
    .get(`${root}assets/:file`, (context) => shown(context, `assets/${context.req.param("file")}`))
    .get(`${root}icon.svg`, (context) => shown(context, "icon.svg"));
  for (const path of [root, root + index]) routes.get(path, (context) => shown(context, index));
  return root === "/" ? routes : routes.get(root.slice(0, -1), (context) => context.redirect(root + index));
}

/** @throws RequestError 404 */
async function shown(context: Context<ServerEnv>, path: string): Promise<Response> {
  const type = types[extname(path)];
  const isInside = /^(?:assets\/)?\w[\w.-]*$/.test(path);
  const bytes = type && isInside && (await readFile(join(folder, path)).catch(() => undefined));
  if (!type || !bytes) throw new RequestError(404, path === index ? notBuilt : `The page has no ${path}.`);
  return context.body(bytes, 200, {
    "Content-Type": type,
    "Content-Security-Policy": security,
    // The name of an asset has the hash of what is in it.
    "Cache-Control": path.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache",
  });
}

const notBuilt = 'The page is not built. Run "npm run build" in the folder of Glassloop, then load this page again.';
