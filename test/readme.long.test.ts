import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { built } from "./cli/run-cli.js";
import { held } from "./helpers/held.js";
import { startOpenAIServer } from "./helpers/openai-server.js";
import { snippetsOf, UserFolder } from "./helpers/snippets.js";

const run = promisify(execFile);
const readme = readFileSync("README.md", "utf8");

/** What the programs of the pages print. The first one of the README has a test of its own: it needs a model. */
const printed: Readonly<Record<string, readonly RegExp[]>> = {
  "README.md": [
    /^The square root of 25 is 5\.\nThe square root of 25 is 5\.\n\[.*What is the square root of 25\?/s,
    /^It is done\.\n$/,
    /Ernő Rubik, a professor of architecture in Budapest, Hungary \[1\]\./,
  ],
  "docs/approvals.md": [/^It is done\.\n$/],
  "docs/context.md": [/^My orders\?\norders: \S+\nAnn has order 7\.\n$/],
  "docs/messages.md": [/\nanswered\n/],
  "docs/own-protocol.md": [/^\[.+\]\nIt has no label\. Write "SAY: " first \(1\)\.\n\[.+\]\nIt\n is\n four\.\n$/],
  "docs/retrieval.md": [/^TOKUFASTbot stands in Kobe \[2\]\.\n.*metadata: \{ page: 7 \}/s],
  "docs/structured-output.md": [/^13\.5\n$/],
  "docs/threads.md": [/What is the square root of 25\?/],
};

/** The programs of a page. */
function programsOf(page: string): string[] {
  const programs = snippetsOf(page).map(({ code }) => code);
  return page === "README.md" ? programs.slice(1) : programs;
}

/** The words of a command, as a shell would take them. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

describe("the README and its pages", () => {
  const user = new UserFolder();
  const folder = user.path;
  const env = { PATH: process.env.PATH, NO_COLOR: "1" };

  beforeAll(() => cpSync("knowledge", join(folder, "knowledge"), { recursive: true }));
  afterAll(() => user[Symbol.dispose]());

  it("can be read in five minutes", () => {
    expect(readme.split("\n").length).toBeLessThanOrEqual(200);
    expect(statSync("README.md").size).toBeLessThanOrEqual(12 * 1024);
  });

  it.each([
    {
      protocol: "tool-calling",
      option: "",
      replies: [
        { text: "I calculate.", toolCalls: [{ name: "calculator", args: { expression: "0.15*240" } }] },
        { text: "It is 36." },
      ],
      shown: 'I calculate.\ncalculator: {"expression":"0.15*240"}\nIt is 36.',
    },
    {
      protocol: "react",
      option: 'protocol: "react", ',
      replies: [
        { text: " I calculate.\nAction: calculator\nAction Input: 0.15*240" },
        { text: " So.\nFinal Answer: It is 36." },
      ],
      shown: 'calculator: "0.15*240"\nIt is 36.',
    },
  ])("print the answer of a server's model as it comes, in $protocol", async ({ protocol, option, replies, shown }) => {
    const { hold, release } = held();
    const [call = {}, answer = {}] = replies;
    await using server = await startOpenAIServer([call, { ...answer, hold }]);
    const program = snippetsOf("README.md")[0]?.code ?? "";
    const path = user.write(`stream-${protocol}.mjs`, program.replace('{ model: "', `{ ${option}model: "`));
    const given = { ...env, OPENAI_API_KEY: "key", OPENAI_BASE_URL: server.url };
    const running = run(process.execPath, [path], { cwd: folder, env: given });
    let text = "";
    running.child.stdout?.on("data", (piece: string) => {
      text += piece;
      // The last word is held back until those before it are on the screen.
      if (text.endsWith("It is")) release();
    });
    expect((await running).stdout).toBe(`${shown}\n`);
  });

  it.each(Object.entries(printed))("have programs that run unchanged: %s", async (page, patterns) => {
    const programs = programsOf(page);
    expect(programs).toHaveLength(patterns.length);
    const name = basename(page, ".md");
    const files = programs.map((code, index) => ({ path: user.write(`${name}-${index}.mjs`, code), url: "" }));
    const outputs = await user.run(...files);
    for (const [index, pattern] of patterns.entries()) expect(outputs[index]).toMatch(pattern);
  });

  it("have commands that run unchanged", async () => {
    const page = readFileSync("docs/command-line.md", "utf8");
    const commands = [...page.matchAll(/^node (dist\/cli\/bin\.js .*)$/gm)].map(([, line = ""]) => line);
    expect(commands.length).toBeGreaterThan(5);
    for (const command of commands) {
      const [, ...parameters] = words(command);
      // The bundle loads three times as fast, and is the same program.
      const { stdout, stderr } = await run(process.execPath, [built("bin.js"), ...parameters], { cwd: folder, env });
      expect(stdout + stderr, command).not.toBe("");
    }
  });

  it("show the output of a program that is killed and resumed", async () => {
    const [, terminal = ""] = /```console\n(.*?)```/s.exec(readme) ?? [];
    const args = ["examples/run.mjs", "15-kill-and-resume"];
    const given = { ...env, TMPDIR: folder, TEMP: folder };
    const killed = spawn(process.execPath, args, { env: given });
    let before = "";
    killed.stdout.on("data", (piece: Buffer) => {
      before += piece.toString();
      if (before.endsWith("slow to say so\n")) killed.kill("SIGKILL");
    });
    expect(await once(killed, "exit")).toEqual([null, "SIGKILL"]);
    const { stdout } = await run(process.execPath, args, { env: given });
    const lines = `${before}${stdout}`.split("\n");
    const shown = terminal.split("\n").filter((line) => !line.startsWith("$ "));
    expect(lines).toHaveLength(shown.length);
    for (const [index, line] of shown.entries()) {
      expect(line.endsWith(" …") ? lines[index]?.slice(0, line.length - 2) : lines[index]).toBe(
        line.replace(/ …$/, ""),
      );
    }
  });

  it("show a picture of a turn that matches a real run", async () => {
    await run(process.execPath, ["bench/turn.mjs", "--check"]);
  });
});
