import { execFileSync } from "node:child_process";
import { mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { needs } from "../../helpers/needs.js";
import { type WorkingFolder, workingFolder } from "../run-cli.js";

let folder: WorkingFolder;
let elsewhere: WorkingFolder;
beforeEach(async () => {
  [folder, elsewhere] = await Promise.all([workingFolder(), workingFolder()]);
});
afterEach(async () => {
  await folder[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
});

const inFolder = (...names: readonly string[]) => join(folder.path, ...names);
const ask = ["ask", "-q", "What is 2 + 2?"];

const hasUnix = needs(process.platform !== "win32", "Untrusted folders are not tried: this is Windows.");

describe.runIf(hasUnix)("a folder from an untrusted source", () => {
  test("does not block the program with its .env or .mcp.json", async () => {
    execFileSync("mkfifo", [inFolder(".mcp.json"), inFolder(".mcp.lock.json")]);
    expect(await folder.run([...ask, "--mcp", ".mcp.json"])).toMatchObject({
      exitCode: 2,
      stderr: "error: --mcp: .mcp.json: it cannot be read: this is a pipe, a socket or a device.\n",
    });
    await rm(inFolder(".mcp.json"));
    await writeFile(inFolder(".mcp.json"), '{"mcpServers":{}}');
    expect((await folder.run([...ask, "--mcp", ".mcp.json"])).stderr).toContain(
      ".mcp.lock.json: the pinned tools cannot be read: this is a pipe, a socket or a device.",
    );
    execFileSync("mkfifo", [inFolder(".env")]);
    expect(await folder.run(ask)).toMatchObject({
      exitCode: 2,
      stderr: "error: The file .env cannot be read: this is a pipe, a socket or a device.\n",
    });
  });

  test("may have a folder named .env", async () => {
    await mkdir(inFolder(".env"));
    expect(await folder.runHere([...ask, "--db", "memory:"])).toMatchObject({ exitCode: 0, stdout: "2 + 2 is 4.\n" });
  });

  test.each([
    ["the usual place", "", ".glassloop/threads.db", "--db"],
    ["a place in its .env", "GLASSLOOP_DB=sqlite:a/.glassloop/b/c.db", "a/.glassloop/b/c.db", "GLASSLOOP_DB in .env"],
  ])("does not lead to another one by a link in %s", async (_, dotEnv, path, name) => {
    const link = path.replace(/(?<=\.glassloop).*/, "");
    await writeFile(inFolder(".env"), dotEnv);
    await mkdir(inFolder("a"));
    await symlink(elsewhere.path, inFolder(link));
    const sentence =
      `error: ${name}: sqlite:${path}: "${link}" is a link, which may have come with this folder. ` +
      `To follow it all the same, give --db sqlite:${path}.\n`;
    for (const command of [ask, ["threads", "list"], ["docs", "index", "."]])
      expect(await folder.runHere(command)).toMatchObject({ exitCode: 1, stdout: "", stderr: sentence });
    expect(await elsewhere.files()).toEqual([]);
  });

  test("has a link that is followed only if a person names it", async () => {
    await symlink(elsewhere.path, inFolder(".glassloop"));
    expect((await folder.runHere([...ask, "--db", "sqlite:.glassloop/threads.db"])).exitCode).toBe(0);
    const env = { GLASSLOOP_DB: "sqlite:.glassloop/threads.db" };
    expect((await folder.runHere(["threads", "list"], { env })).stdout).toContain("What is 2 + 2?");
    expect(await elsewhere.files()).toContain("threads.db");
  });

  test.each([
    ["threads.db", ask],
    ["threads.documents.db", ["docs", "index", "."]],
  ])("does not lead to another database by the link %s", async (name, command) => {
    await mkdir(inFolder(".glassloop"));
    await symlink(join(elsewhere.path, "other.db"), inFolder(".glassloop", name));
    const { exitCode, stderr } = await folder.runHere(command);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining("this is a link, not a file. Give the path of a file."),
    ]);
    expect(await readdir(elsewhere.path)).toEqual([]);
  });
});
