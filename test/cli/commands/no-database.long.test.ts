import { spawn } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { built, workingFolder } from "../run-cli.js";

const missing = 'error: There is no thread "x". "glassloop threads list" shows the threads.\n';
const notCopied = (place: string) => `error: ${place}: there is no such file, so there are no threads to copy.\n`;

test.for<[command: string, exitCode: number, stderr: string]>([
  ["list", 0, "There are no threads in sqlite:.glassloop/threads.db yet.\n"],
  ["list --json", 0, ""],
  ["list --search zürich", 0, "Nothing was found.\n"],
  ["prune --keep-turns 1", 0, "Deleted 0 checkpoints of 0 threads.\n"],
  ["copy --to sqlite:to.db", 1, notCopied("--db: sqlite:.glassloop/threads.db")],
  ["copy --to sqlite:to.db --db sqlite:from.db", 1, notCopied("--db: sqlite:from.db")],
  ["show x", 1, missing],
  ["fork x c", 1, missing],
  ["copy x --to sqlite:to.db", 1, missing],
  ["remove x --yes", 1, missing],
  ["resume x", 1, missing],
  ["prune x --keep-turns 1", 1, missing],
])("threads %s finds nothing where no database was made yet, and makes none", async ([command, exitCode, stderr]) => {
  await using folder = await workingFolder();
  expect(await folder.runHere(["threads", ...command.split(" ")])).toEqual({ exitCode, stdout: "", stderr });
  expect(await folder.files()).toEqual([]);
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
  test.for(["ask Hello?", "threads show x"])("%s says so in a sentence", async (command) => {
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
