import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startOpenAIServer } from "./helpers/openai-server.js";

const run = promisify(execFile);
const readme = readFileSync("README.md", "utf8");
const programs = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code = ""]) => code);
const commands = [...readme.matchAll(/^node (dist\/cli\/bin\.js .*)$/gm)].map(([, line = ""]) => line);

/** The words of a command, as a shell would take them. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

describe("the README", () => {
  let folder = "";
  const env = { PATH: process.env.PATH, NO_COLOR: "1" };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "glassloop-readme-"));
    cpSync("knowledge", join(folder, "knowledge"), { recursive: true });
    // As if it were installed there.
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(resolve("."), join(folder, "node_modules/glassloop"), "junction");
    symlinkSync(resolve("node_modules/@langchain"), join(folder, "node_modules/@langchain"), "junction");
    symlinkSync(resolve("node_modules/zod"), join(folder, "node_modules/zod"), "junction");
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function programFile(code: string, index: number): string {
    const path = join(folder, `program-${index}.mjs`);
    writeFileSync(path, code);
    return path;
  }

  it("has programs and commands to try", () => {
    expect(programs.length).toBeGreaterThan(3);
    expect(commands.length).toBeGreaterThan(5);
  });

  it.each([
    {
      protocol: "tool-calling",
      replies: [
        { text: "I calculate.", toolCalls: [{ name: "calculator", args: { expression: "0.15*240" } }] },
        { text: "It is 36." },
      ],
      printed: 'I calculate.\ncalculator: {"expression":"0.15*240"}\nIt is 36.',
    },
    {
      protocol: "react",
      replies: [
        { text: " I calculate.\nAction: calculator\nAction Input: 0.15*240" },
        { text: " So.\nFinal Answer: It is 36." },
      ],
      printed: 'calculator: "0.15*240"\nIt is 36.',
    },
  ])("prints the answer of a server's model as it comes, in $protocol", async ({ protocol, replies, printed }) => {
    let release = () => {};
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const [call = {}, answer = {}] = replies;
    await using server = await startOpenAIServer([call, { ...answer, hold }]);
    const program = (programs[1] ?? "").replace('"offline"', `"openai:m", protocol: "${protocol}"`);
    const path = join(folder, `stream-${protocol}.mjs`);
    writeFileSync(path, program);
    const given = { ...env, OPENAI_API_KEY: "key", OPENAI_BASE_URL: server.url };
    const running = run(process.execPath, [path], { cwd: folder, env: given });
    let shown = "";
    running.child.stdout?.on("data", (text: string) => {
      shown += text;
      // The last word is held back until those before it are on the screen.
      if (shown.endsWith("It is")) release();
    });
    expect((await running).stdout).toBe(printed);
  });

  it("tells programs that run as they stand", async () => {
    const outputs: string[] = [];
    for (const [index, code] of programs.entries()) {
      const { stdout } = await run(process.execPath, [programFile(code, index)], { cwd: folder, env });
      outputs.push(stdout);
    }
    expect(outputs[0]).toContain("answered");
    expect(outputs[1]).toContain("36");
    expect(outputs[2]).toContain("Ernő Rubik, a professor of architecture in Budapest, Hungary [1].");
    expect(outputs[3]).toMatch(/^\[.+\]\nIt has no label\. Write "SAY: " first \(1\)\.\n\[.+\]\nIt\n is\n four\.\n$/);
    expect(outputs[4]).toContain("13.5");
    expect(outputs[5]).toMatch(/^My orders\?\norders: \S+\nAnn has order 7\.\n$/);
    expect(outputs[6]).toContain("It is done.");
    expect(outputs[7]).toContain("What is the square root of 25?");
    expect(outputs[8]).toContain("Final Answer: 5");
  });

  it("tells commands that run as they stand", async () => {
    for (const command of commands) {
      const [script = "", ...parameters] = words(command);
      const { stdout, stderr } = await run(process.execPath, [resolve(script), ...parameters], { cwd: folder, env });
      expect(stdout + stderr, command).not.toBe("");
    }
  });
});
