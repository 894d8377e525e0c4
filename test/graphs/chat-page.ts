import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, vi } from "vitest";
import { freePort } from "../helpers/free-port.js";

const folder = fileURLToPath(new URL("../../examples/react-chat", import.meta.url));

/** The browser of this machine; undefined if it has none. */
export const browserPath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path !== undefined && existsSync(path),
);

/** Builds the chat page as its README says, and serves it. */
export async function serveChatPage(): Promise<AsyncDisposable & { readonly url: string }> {
  if (!existsSync(`${folder}/node_modules`)) npm("ci", "--no-audit", "--no-fund");
  npm("run", "build");
  const url = `http://localhost:${await freePort()}`;
  const server = spawn("npx", ["vite", "preview", "--strictPort", "--port", new URL(url).port], {
    cwd: folder,
    detached: true,
    stdio: "ignore",
  });
  const group = -(server.pid ?? Number.NaN);
  const stop = async () => void process.kill(group, "SIGTERM");
  // `expect.poll` works in a test only.
  await vi.waitFor(async () => expect((await fetch(url)).ok).toBe(true), { timeout: 100_000 });
  return { url, [Symbol.asyncDispose]: stop };
}

function npm(...parameters: string[]): void {
  execFileSync("npm", parameters, { cwd: folder, stdio: "ignore" });
}
