import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { packageFolder } from "../../src/base/package-folder.js";
import { authenticate, served } from "./access/served.js";

const [script = ""] = readdirSync(`${packageFolder()}/dist/page/assets`).filter((name) => name.endsWith(".js"));

test.each([
  ["/", "text/html; charset=utf-8", "no-cache"],
  ["/index.html", "text/html; charset=utf-8", "no-cache"],
  ["/icon.svg", "image/svg+xml", "no-cache"],
  [`/assets/${script}`, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"],
])("%s is a part of the page, which needs no key and takes nothing from elsewhere", async (path, type, kept) => {
  const { send } = await served({ keys: ["secret-key"], authenticate });
  for (const method of ["GET", "HEAD"]) {
    const response = await send(method, path);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": type,
      "cache-control": kept,
      "content-security-policy": expect.stringMatching(/^default-src 'self'; .*frame-ancestors 'none'/),
      "x-content-type-options": "nosniff",
    });
    expect((await response.text()).length > 0).toBe(method === "GET");
  }
});

test.each([
  ["/assets/none.js", {}, 404],
  ["/assets/..%2findex.html", {}, 404],
  ["/assets/..%2f..%2f..%2fpackage.json", {}, 404],
  ["/assets/%2e%2e%5cicon.svg", {}, 404],
  ["/assets/", {}, 404],
  [`/assets/${script}.map`, {}, 404],
  ["/", { Host: "evil.example" }, 403],
  ["/", { Origin: "https://evil.example" }, 403],
])("%s with %j is refused with %i", async (path, headers, status) => {
  const { send } = await served();
  const response = await send("GET", path, { headers });
  expect([response.status, response.headers.get("content-type")]).toEqual([status, "application/json"]);
});

test("below a base path the page stands at its root, and what it loads beside it", async () => {
  const { send } = await served({ basePath: "/agents" });
  const html = await (await send("GET", "/agents/")).text();
  expect(html).toContain(`src="./assets/${script}"`);
  expect((await send("GET", `/agents/assets/${script}`)).status).toBe(200);
  expect((await send("GET", "/")).status).toBe(404);
  const without = await send("GET", "/agents");
  expect([without.status, without.headers.get("Location")]).toEqual([302, "/agents/index.html"]);
  expect(await (await send("GET", "/agents/index.html")).text()).toBe(html);
});

test("without the page there is nothing at its address, and other methods are refused", async () => {
  expect((await (await served({ page: false })).send("GET", "/")).status).toBe(404);
  const response = await (await served()).send("POST", "/", { body: {} });
  expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET"]);
});
