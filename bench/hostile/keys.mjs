// Keys in the forms in which programs write them, keys that tools tell, and keys that a folder's .env asks for.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { z } from "zod";
import { keepSecret } from "../../dist/base/secrets/known-secrets.js";
import { SecretFilter, withoutSecrets } from "../../dist/base/secrets/without-secrets.js";
import { createAgent } from "../../dist/index.js";
import { scriptedModel } from "../../dist/testing/index.js";

const program = new URL("../../dist/cli/bin.js", import.meta.url).pathname;

const bytes = (text) => Buffer.from(text);
/** The forms. Each gets a key and words around it, and returns the form of the key, or that of all of it. */
const forms = {
  plain: (key) => key,
  json: (key) => JSON.stringify(key).slice(1, -1),
  "json twice": (key) => JSON.stringify(JSON.stringify(key)).slice(3, -3),
  address: (key) => encodeURIComponent(key),
  form: (key) => new URLSearchParams({ key }).toString().slice(4),
  hex: (key) => bytes(key).toString("hex"),
  "upper hex": (key) => bytes(key).toString("hex").toUpperCase(),
  base64: (key) => bytes(key).toString("base64"),
  base64url: (key) => bytes(key).toString("base64url"),
  "base64 with a user": (key, before) => bytes(`${before}:${key}`).toString("base64"),
  "base64 in the middle": (key, before, after) => bytes(before + key + after).toString("base64url"),
};

const letters = [...'abcXYZ0189_-+/=.~ "\\äß'];
const text = (chance, fewest, most) =>
  Array.from({ length: fewest + chance.whole(most - fewest) }, () => chance.pick(letters)).join("");

/** Tells whether a text still shows a part of the key, as it is or in base64 at any of its characters. */
function shows(shown, key) {
  const middle = key.slice(2, -2);
  const decoded = [0, 1, 2, 3].map((skip) => bytes(shown.slice(skip)).toString("latin1"));
  const read = decoded.flatMap((one) => one.split(/[^\w+/-]+/).flatMap((word) => offsets(word)));
  return [shown, ...read].some((one) => one.includes(middle) || one.includes(bytes(middle).toString("latin1")));
}

const offsets = (word) => [0, 1, 2, 3].map((skip) => Buffer.from(word.slice(skip), "base64").toString("latin1"));

/** Writes keys in all forms, whole and in pieces, and looks for them in what the filter lets through. */
function keysInForms(chance, report, count) {
  const found = { leaked: [], "in pieces": [], "words lost": 0 };
  for (let n = 0; n < count; n += 1) {
    const key = `k${text(chance, 9, 60)}e`;
    keepSecret(key);
    for (const [name, form] of Object.entries(forms)) {
      const written = `said: ${form(key, text(chance, 1, 9), text(chance, 1, 9))} ;`;
      const shown = withoutSecrets(written);
      if (!shown.includes("[secret]") || shows(shown, key)) found.leaked.push(name);
      const filter = new SecretFilter();
      let pieces = "";
      for (let at = 0; at < written.length; ) {
        const size = 1 + chance.whole(9);
        pieces += filter.push(written.slice(at, at + size));
        at += size;
      }
      if (pieces + filter.end() !== shown) found["in pieces"].push(name);
      const other = `${text(chance, 1, 60)} ${form(text(chance, 12, 40), "a", "b")}`;
      if (withoutSecrets(other) !== other) found["words lost"] += 1;
    }
  }
  report.figure(`keys in ${Object.keys(forms).length} forms that are still shown`, found.leaked.length, 0);
  report.figure("texts that are cleaned otherwise in pieces", found["in pieces"].length, 0);
  report.figure("other texts that are changed", found["words lost"], 0);
  for (const name of new Set([...found.leaked, ...found["in pieces"]])) report.note(name);
}

/** What a tool does with a key. */
const ways = {
  throws: (key) => {
    throw new Error(`401 for ${key}`);
  },
  "throws a text": (key) => {
    throw `401 for ${key}`;
  },
  "throws encoded": (key) => {
    throw new Error(`GET /?key=${encodeURIComponent(key)} Basic ${bytes(`ann:${key}`).toString("base64")}`);
  },
  returns: (key) => `The key is ${key}.`,
  "returns an error": (key) => new ToolMessage({ content: key, tool_call_id: "c", artifact: { key }, status: "error" }),
  commands: (key) => new Command({ update: { messages: [new HumanMessage(`It is ${key}.`)] } }),
};
const replies = {
  react: ["Thought: I look\nAction: look\nAction Input: {}", "Final Answer: Done."],
  "tool-calling": [{ tool_calls: [{ name: "look", args: {} }] }, "Done."],
};

/** Lets tools tell keys, and looks for them in states, prompts and events. */
async function keysOfTools(chance, report) {
  const leaked = [];
  for (const [protocol, script] of Object.entries(replies)) {
    for (const [way, tell] of Object.entries(ways)) {
      const key = `key-${text(chance, 20, 40)}-end`;
      keepSecret(key);
      const look = tool(async () => tell(key), { name: "look", description: "Looks.", schema: z.object({}) });
      const model = scriptedModel(script);
      const state = await createAgent({ model, tools: [look], protocol }).invoke({ messages: "Look." });
      const left = inspect([state, model.calls], { depth: 20, maxStringLength: null, maxArrayLength: null });
      if (shows(left, key) || JSON.stringify([state, model.calls]).includes(JSON.stringify(key).slice(1, -1)))
        leaked.push(`${way}, ${protocol}`);
    }
  }
  report.figure("keys that tools tell, in states and prompts", leaked.length, 0);
  for (const name of leaked) report.note(name);
}

/** What stands in the environment of a person. */
const shell = {
  OPENAI_API_KEY: "of-the-shell-1",
  OPENAI_ORG_ID: "of-the-shell-2",
  OPENAI_PROJECT_ID: "of-the-shell-3",
  OPENAI_CUSTOM_HEADERS: "X-Gateway: of-the-shell-4",
  PGPASSWORD: "of-the-shell-5",
};
const models = ["", "openai:m", "openai:m,offline", "offline,openai:m", "openai:m,openai:n"];
const commands = [
  ["ask", "--no-stream", "Is it?"],
  ["ask", "--no-stream", "--embeddings", "openai:e", "--docs", ".", "cats?"],
  ["threads", "list"],
  ["docs", "search", ".", "cats", "--embeddings", "openai:e"],
];

/** Runs commands in a folder whose .env names servers, and keeps what these get. */
async function keysForFolders(report) {
  const folder = await mkdtemp(join(tmpdir(), "glassloop-hostile-"));
  await writeFile(join(folder, "cats.md"), "# Cats\nCats sleep.");
  const got = [];
  const web = createServer((request, response) => {
    got.push(JSON.stringify(request.headers));
    request.resume().on("end", () => {
      response.setHeader("content-type", "application/json");
      const message = { role: "assistant", content: "Final Answer: Yes." };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      response.end(JSON.stringify({ choices, data: [{ index: 0, embedding: [1, 2] }] }));
    });
  });
  const database = net.createServer((socket) => {
    socket
      .on("error", () => undefined)
      .on("data", (sent) => {
        got.push(sent.toString("latin1"));
        // The server asks for the password in plain text.
        socket.write(Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 3]));
      });
  });
  const ports = [];
  for (const server of [web, database]) {
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    ports.push(server.address().port);
  }
  let runs = 0;
  for (const model of models) {
    for (const [n, args] of commands.entries()) {
      const db = n === 2 ? `GLASSLOOP_DB=postgres://ann@127.0.0.1:${ports[1]}/db` : "";
      const lines = [`OPENAI_BASE_URL=http://127.0.0.1:${ports[0]}/v1`, model && `GLASSLOOP_MODEL=${model}`, db];
      await writeFile(join(folder, ".env"), lines.join("\n"));
      const env = { PATH: process.env.PATH, HOME: folder, ...shell };
      await new Promise((resolve) =>
        execFile(process.execPath, [program, ...args], { cwd: folder, env }, resolve).stdin.end(),
      );
      runs += 1;
    }
  }
  for (const server of [web, database]) {
    server.closeAllConnections?.();
    server.close();
  }
  await rm(folder, { recursive: true });
  report.note(`${runs} commands, ${got.length} messages to servers`);
  report.figure("messages with what is of the shell", got.filter((one) => one.includes("of-the-shell")).length, 0);
}

/** Looks for keys in all that is shown or sent, in the three ways above. */
export async function keys(chance, report, count = 400) {
  keysInForms(chance, report, count);
  await keysOfTools(chance, report);
  await keysForFolders(report);
}
