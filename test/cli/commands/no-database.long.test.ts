import { spawn } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { parseEvents } from "../events.js";
import { built, workingFolder } from "../run-cli.js";

describe("where no database was made yet", () => {
  test("list says that there are no threads, and as JSON nothing", async () => {
    await using folder = await workingFolder();
    const stderr = "There are no threads in sqlite:.glassloop/threads.db yet.\n";
    expect(await folder.run(["threads", "list"])).toMatchObject({ exitCode: 0, stdout: "", stderr });
    expect(await folder.run(["threads", "list", "--json"])).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
    expect(await folder.files()).toEqual([]);
  });

  test("search finds nothing, and stats and prune have nothing to do", async () => {
    await using folder = await workingFolder();
    const found = await folder.run(["threads", "search", "zürich"]);
    expect(found).toMatchObject({ exitCode: 0, stdout: "", stderr: "Nothing was found.\n" });
    const pruned = await folder.run(["threads", "prune", "--keep-turns", "1"]);
    expect(pruned).toMatchObject({ exitCode: 0, stdout: "", stderr: "Deleted 0 checkpoints of 0 threads.\n" });
    expect((await folder.run(["threads", "stats"])).stdout).toMatch(/^Threads +0\n/);
    expect(await folder.files()).toEqual([]);
  });

  test.for([
    [[], "--db: sqlite:.glassloop/threads.db"],
    [["--db", "sqlite:from.db"], "--db: sqlite:from.db"],
  ] as const)("copy %j does not make the other database", async ([options, place]) => {
    await using folder = await workingFolder();
    const copied = await folder.run(["threads", "copy", "--to", "sqlite:to.db", ...options]);
    const stderr = `error: ${place}: there is no such file, so there are no threads to copy.\n`;
    expect(copied).toMatchObject({ exitCode: 1, stdout: "", stderr });
    expect(await folder.files()).toEqual([]);
  });

  test.for([
    "show x --json",
    "export x",
    "fork x c",
    "rename x y",
    "stats x",
    "copy x --to sqlite:to.db",
    "delete x --yes",
    "resume x",
    "prune x --keep-turns 1",
  ])("%s finds no thread", async (command) => {
    await using folder = await workingFolder();
    const { exitCode, stdout, stderr } = await folder.run(["threads", ...command.split(" ")]);
    expect(stderr).toBe('error: There is no thread "x". "glassloop threads list" shows the threads.\n');
    expect(exitCode).toBe(1);
    if (command.includes("--json")) expect(parseEvents(stdout)).toMatchObject([{ code: "thread-not-found" }]);
    else expect(stdout).toBe("");
    expect(await folder.files()).toEqual([]);
  });
});

/** Runs the command line in a folder that is gone by then. */
async function runInDeletedFolder(args: readonly string[]) {
  const cwd = await mkdtemp(join(tmpdir(), "glassloop-cli-"));
  const { PATH = "" } = process.env;
  const child = spawn("sh", ["-c", 'rmdir "$PWD" && exec "$0" "$@"', process.execPath, built("bin.js"), ...args], {
    cwd,
    env: { PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { exitCode, stdout, stderr };
}

describe("in a folder that was deleted", () => {
  test.for(["ask Hello?", "threads list", "threads show x"])("%s says so in a sentence", async (command) => {
    const { exitCode, stdout, stderr } = await runInDeletedFolder(command.split(" "));
    expect(stderr).toBe(
      "error: --db: sqlite:.glassloop/threads.db: the folder that this runs in was deleted. " +
        "Go to another one, or give the path of a file in full.\n",
    );
    expect([exitCode, stdout]).toEqual([1, ""]);
  });

  test("a question with --db memory: is still answered", async () => {
    const { exitCode, stdout } = await runInDeletedFolder(["ask", "-q", "--db", "memory:", "What is 2 + 2?"]);
    expect(stdout).toContain("4");
    expect(exitCode).toBe(0);
  });
});
