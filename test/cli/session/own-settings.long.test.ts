import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../../src/agent/create-agent.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { openThreads } from "../../../src/threads/open.js";
import { runProgram } from "../fake-io.js";
import { built, workingFolder } from "../run-cli.js";
import { scriptedServer } from "../scripted-server.js";
import { atTerminal } from "../terminal.js";

const answer = " Easy.\nFinal Answer: Four.";
const asked =
  "This thread has settings that somebody else may have chosen: --model scripted --base-url http://127.0.0.1:";
const refused = { exitCode: 2, stdout: "", stderr: expect.stringContaining(asked) };
const answered = { exitCode: 0, stdout: "Four.\n" };

/** A database with the thread "demo", which Ann began. Each person has a home of their own. */
async function threadOfAnn() {
  const folder = await workingFolder();
  const model = await scriptedServer(() => answer);
  const database = `sqlite:${folder.path}/threads.db`;
  const homeOf = (name: string) => ({ XDG_STATE_HOME: join(folder.path, name) });
  const by = (name: string, ...args: readonly string[]) =>
    runProgram([...args, "--db", database], { env: homeOf(name) });
  expect(await by("ann", "ask", "-t", "demo", ...model.options, "How many?")).toMatchObject(answered);
  return {
    folder,
    model,
    database,
    homeOf,
    by,
    asks: (name: string, ...more: readonly string[]) => by(name, "ask", "-t", "demo", ...more, "And now?"),
    async [Symbol.asyncDispose]() {
      await folder[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

describe("settings of a thread that another person chose", () => {
  test("are refused without a terminal until an option says to use them, once for each person", async () => {
    await using demo = await threadOfAnn();
    expect(await demo.asks("bob")).toMatchObject(refused);
    expect(await demo.by("bob", "threads", "resume", "demo")).toMatchObject(refused);
    expect(demo.model.server.requests).toHaveLength(1);
    expect(await demo.asks("bob", "--thread-settings", "use")).toMatchObject(answered);
    for (const name of ["bob", "ann", "bob", "ann"]) expect(await demo.asks(name)).toMatchObject(answered);
  });

  test("are asked about again after one of the others changed them", async () => {
    await using demo = await threadOfAnn();
    await demo.asks("bob", "--thread-settings", "use", "--system", "Be rude.");
    expect(await demo.asks("bob")).toMatchObject(answered);
    expect(await demo.asks("ann")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("Be rude.") });
  });

  test("are asked about once at a terminal", async () => {
    await using demo = await threadOfAnn();
    const ask = ["ask", "-t", "demo", "--db", demo.database, "And now?"];
    const declining = atTerminal(ask, demo.homeOf("bob"));
    await declining.type("\r", "Use them? [y/N] ");
    expect(await declining.ended).toBe(2);
    const agreeing = atTerminal(ask, demo.homeOf("bob"));
    await agreeing.type("y\r", "Use them? [y/N] ");
    expect(await agreeing.ended).toBe(0);
    const again = atTerminal(ask, demo.homeOf("bob"));
    expect(await again.ended).toBe(0);
    expect(again.io.stdout.text).not.toContain("Use them?");
  });

  test("are asked about once in a chat, also if a command changes some of them or copies the thread", async () => {
    await using demo = await threadOfAnn();
    const chat = atTerminal(["chat", "-t", "demo", "--db", demo.database], demo.homeOf("bob"));
    await chat.type("y\r", "Use them? [y/N] ");
    await chat.type("/system Be kind.\r");
    await chat.sees("System: Be kind.");
    await chat.type("/fork copy\r");
    await chat.sees("Thread copy, a copy of demo");
    await chat.type("And now?\r");
    await chat.sees("Answer: Four.");
    await chat.type("/threads demo\r");
    await chat.type("\r", "Use them? [y/N] ");
    await chat.type("/exit\r");
    expect(await chat.ended).toBe(0);
    expect(demo.model.server.requests.at(-1)?.body).toMatchObject({ model: "scripted" });
    expect(JSON.stringify(demo.model.server.requests.at(-1)?.body)).toContain("Be kind.");
  });

  test("can be ignored", async () => {
    await using demo = await threadOfAnn();
    const ignored = await demo.asks("bob", "--thread-settings", "ignore", "--protocol", "react");
    expect(ignored.stderr).toContain("Offline rules");
    expect(demo.model.server.requests).toHaveLength(1);
  });

  test("are not yours because your mark stands beside them", async () => {
    await using demo = await threadOfAnn();
    {
      await using threads = await openThreads(demo.database);
      const values = (await threads.get("demo"))?.settings?.values;
      const { checkpointer } = threads;
      const evil = createAgent({ model: scriptedModel([answer]), protocol: "react", rephrase: false, checkpointer });
      const thread_settings = { ...values, "base-url": "http://127.0.0.1:9/evil" };
      await evil.invoke({ messages: "Hi" }, { configurable: { thread_id: "demo", thread_settings } });
    }
    expect(await demo.asks("ann")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("evil") });
  });
});

describe("your own settings", () => {
  test("are not asked about in a fork", async () => {
    await using demo = await threadOfAnn();
    const { stdout } = await demo.by("ann", "threads", "show", "demo", "--json");
    const [, checkpoint = ""] = /"checkpoint":"([^"]+)"/.exec(stdout) ?? [];
    expect(await demo.by("ann", "threads", "fork", "demo", checkpoint, "copy")).toMatchObject({ exitCode: 0 });
    expect(await demo.by("ann", "ask", "-t", "copy", "And now?")).toMatchObject(answered);
  });

  test("are asked about once if the key was deleted, and the thread goes on", async () => {
    await using demo = await threadOfAnn();
    await rm(join(demo.folder.path, "ann", "glassloop", "settings-key"));
    expect(await demo.asks("ann")).toMatchObject(refused);
    expect(await demo.asks("ann", "--thread-settings", "use")).toMatchObject(answered);
    expect((await demo.asks("ann")).stderr).toContain("Thread demo, 2 turns so far");
  });

  test("are asked about each time without a place for the key, which is said", async () => {
    await using demo = await threadOfAnn();
    const args = ["ask", "-t", "demo", "--db", demo.database, "And now?"];
    const env = { HOME: "" };
    expect(await runProgram([...args, "--thread-settings", "use"], { env })).toMatchObject(answered);
    const { exitCode, stderr } = await runProgram(args, { env });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("Nothing was done. To know yours again,")]);
    expect(stderr).toContain("set XDG_STATE_HOME.");
  });
});

test("Processes that make a person's key at the same time agree on it", async () => {
  await using folder = await workingFolder();
  const code = `
    import { existsSync } from "node:fs";
    const { personsKey } = await import(${JSON.stringify(pathToFileURL(built("session/settings-mark.js")))});
    console.log("ready");
    while (!existsSync("begin"));
    for (let n = 0; n < 500; n++) console.log(personsKey({ XDG_STATE_HOME: process.cwd() + "/" + n }).toString("hex"));`;
  const processes = [1, 2, 3].map(() =>
    spawn(process.execPath, ["--input-type=module", "-e", code], {
      cwd: folder.path,
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  await Promise.all(processes.map(({ stdout }) => once(stdout, "readable")));
  await writeFile(join(folder.path, "begin"), "");
  const [keys = "", ...others] = await Promise.all(processes.map(({ stdout }) => text(stdout)));
  expect(new Set(keys.split("\n")).size).toBe(502);
  expect(others).toEqual([keys, keys]);
});
