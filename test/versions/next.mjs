import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { makeConsumer, versionsOf } from "./consumer.mjs";

const env = { ...process.env, NO_COLOR: "1", NEXT_TELEMETRY_DISABLED: "1" };

/** Builds a server with Next, and asks it a question that needs an agent, a thread on SQLite and a search of documents. */
export async function checkNext(bundler, folder) {
  const consumer = makeConsumer("next", "project-next", folder);
  const next = join(consumer, "node_modules/next/dist/bin/next");
  const built = spawnSync(process.execPath, [next, "build", bundler], { cwd: consumer, env, encoding: "utf8" });
  const problem = built.status === 0 ? await wrongIn(next, consumer) : `${built.stdout}${built.stderr}`;
  return {
    versions: versionsOf("next", ["next", "react"]),
    results: [[`an agent, a thread and a search in a server built with ${bundler}`, problem]],
  };
}

/** Returns what is wrong with the answer of the server; an empty text if nothing is. */
async function wrongIn(next, cwd) {
  const server = spawn(process.execPath, [next, "start", "--port", "0", "--hostname", "127.0.0.1"], { cwd, env });
  const ended = once(server, "exit");
  let said = "";
  server.stderr.on("data", (data) => {
    said += data;
  });
  try {
    const address = await addressOf(server);
    const body = JSON.stringify({ question: "What is 15% of 240?", wanted: "kettle" });
    const reply = await fetch(`${address}/ask`, { method: "POST", body });
    const text = await reply.text();
    const wanted = ['"answer":"15% of 240 is 36."', '"threads":["bundled"]', "A kettle is descaled."];
    const missing = wanted.filter((part) => !text.includes(part));
    return missing.length === 0 ? "" : `HTTP ${reply.status} without ${missing.join(", ")}: ${text}\n${said}`;
  } finally {
    server.kill();
    await ended;
  }
}

async function addressOf(server) {
  for await (const line of createInterface(server.stdout)) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error("The server of Next ended before it said its address.");
}
