import { execFile, execFileSync } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { built, type WorkingFolder, workingFolder } from "../run-cli.js";

const run = promisify(execFile);

/** Completes a line in a shell: the script that it runs after it has read that of `glassloop completion`. */
const shells = [
  {
    shell: "bash",
    options: ["--norc", "--noprofile", "-c"],
    complete: (words: readonly string[]) =>
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
      $(complete -p glassloop | sed 's/.*-F \\([^ ]*\\).*/\\1/'); printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  {
    shell: "zsh",
    options: ["-f", "-c"],
    complete: (words: readonly string[]) =>
      `compadd() { shift; print -rl -- "$@"; }
      words=(${words.map((word) => `'${word}'`).join(" ")}); CURRENT=${words.length}; _glassloop`,
  },
  {
    shell: "fish",
    options: ["--no-config", "-c"],
    complete: (words: readonly string[]) => `complete -C '${words.join(" ")}'`,
  },
].filter(({ shell }) => isInstalled(shell));

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Puts a command `glassloop` into a folder. Returns the environment in which it is found. */
async function withCommand({ path }: WorkingFolder): Promise<NodeJS.ProcessEnv> {
  const command = join(path, "bin", "glassloop");
  await mkdir(join(path, "bin"));
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${built("bin.js")}" "$@"\n`);
  await chmod(command, 0o755);
  return { PATH: `${join(path, "bin")}:${process.env.PATH}`, HOME: path, NO_COLOR: "1" };
}

test("bash is among the shells that are tried", () => {
  expect(shells.map(({ shell }) => shell)).toContain("bash");
});

test.each(shells)("$shell completes commands, options and ids of threads", async ({ shell, options, complete }) => {
  await using folder = await workingFolder();
  const env = await withCommand(folder);
  await folder.run(["ask", "-q", "--model", "offline", "-t", "roots", "What is 2 + 2?"]);
  const { stdout: script } = await folder.run(["completion", shell]);
  const completed = async (line: string) => {
    const words = line.split(" ");
    // Zsh has completions only in a terminal.
    const setup = shell === "zsh" ? "compdef() { :; }; zmodload zsh/parameter" : "";
    const { stdout } = await run(shell, [...options, `${setup}\n${script}\n${complete(words)}`], {
      cwd: folder.path,
      env,
    });
    return stdout.trimEnd().split("\n");
  };
  expect(await completed("glassloop threads sh")).toEqual(["show"]);
  expect(await completed("glassloop ask --proto")).toEqual(["--protocol"]);
  expect(await completed("glassloop threads show ro")).toEqual(["roots"]);
  expect(await completed("glassloop threads show ")).toEqual(["roots"]);
});
