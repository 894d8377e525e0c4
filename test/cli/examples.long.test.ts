import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "./fake-io.js";
import { built, type WorkingFolder, workingFolder } from "./run-cli.js";
import { scriptedServer, squareRoot, squareRootReplies } from "./scripted-server.js";

/** Puts a command `glassloop` and the files that examples name into a folder. */
async function prepare({ path }: WorkingFolder): Promise<void> {
  const command = join(path, "bin", "glassloop");
  await mkdir(dirname(command));
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${built("bin.js")}" "$@"\n`);
  await chmod(command, 0o755);
  await writeFile(join(path, "plan.png"), Buffer.from("\x89PNG\r\n", "latin1"));
  for (const name of ["README.md", "notes.md", "plan.md"]) await writeFile(join(path, name), `# ${name}\nBuy milk.\n`);
}

/** Runs a line in a shell as it stands. Nothing is typed into it. */
function inShell({ path }: WorkingFolder, line: string): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const env = { PATH: `${join(path, "bin")}:${process.env.PATH}`, HOME: path, NO_COLOR: "1" };
  return new Promise((resolve) => {
    const child = execFile("sh", ["-c", line], { cwd: path, env }, (error, stdout, stderr) =>
      resolve({ exitCode: typeof error?.code === "number" ? error.code : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

/** The examples of a help text. */
async function examplesOf(command: readonly string[]): Promise<string[]> {
  const { stdout } = await runProgram([...command, "--help"]);
  const [, examples = ""] = /Examples:\n((?: {2}.*\n)+)/.exec(stdout) ?? [];
  return examples
    .trimEnd()
    .split("\n")
    .map((line) => line.trim());
}

/** The lines with `glassloop` in the shell blocks of the page of the command line. Each block is a list. */
async function examplesOfPage(): Promise<string[][]> {
  const page = await readFile("docs/command-line.md", "utf8");
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block.trimEnd().split("\n"));
  return blocks.filter((lines) => lines.some((line) => /(?:^|\| )glassloop /.test(line)));
}

async function runAll(lines: readonly string[]): Promise<void> {
  expect(lines.length).toBeGreaterThan(2);
  await using folder = await workingFolder();
  await prepare(folder);
  for (const line of lines) {
    // Threads are decided about below, where one waits.
    if (/threads decide/.test(line)) continue;
    const { exitCode, stdout, stderr } = await inShell(folder, line);
    const isKeyless = /need an API key/.test(stderr);
    expect([0, 1, ...(isKeyless ? [2] : [])], `${line}\n${stdout}\n${stderr}`).toContain(exitCode);
    expect(stderr, line).not.toMatch(/unknown|\n +at /);
    if (/glassloop (?:ask )?(?:"|--file)/.test(line) && !isKeyless) expect(stdout, line).not.toBe("");
  }
}

test.for([[], ["ask"]])("the examples of glassloop %j --help run unchanged", async (command) => {
  await runAll(await examplesOf(command));
});

test("the examples of the page of the command line run unchanged, in their order", async () => {
  await runAll((await examplesOfPage()).flat());
});

test("the decisions of that page and of --help are accepted unchanged, except the ids of the calls", async () => {
  const lines = [...(await examplesOf(["threads", "decide"])), ...(await examplesOfPage()).flat()];
  const decisions = [...new Set(lines.filter((line) => /threads decide/.test(line)))];
  expect(decisions.length).toBeGreaterThan(4);
  for (const line of decisions) {
    await using folder = await workingFolder();
    await prepare(folder);
    const [call = "", answer = ""] = squareRootReplies;
    await using model = await scriptedServer([call, answer]);
    const spoken = { model: "scripted", "base-url": model.server.url, protocol: "react" };
    await writeFile(join(folder.path, "glassloop.json"), JSON.stringify(spoken));
    const asked = await folder.runHere(["ask", "--json", "-t", "demo", "--approve", "always", squareRoot]);
    const [, id = ""] = /"id":"([0-9a-f]+-1)"/.exec(asked.stdout) ?? [];
    const one = line.replace(/, "1a2b3c-2": .*\}'/, "}'").replace("1a2b3c-1", id);
    const { exitCode, stdout, stderr } = await inShell(folder, one);
    expect([exitCode, stdout], `${one}\n${stderr}`).toEqual([0, "The square root of 25 is 5.\n"]);
  }
});
