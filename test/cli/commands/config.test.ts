import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseLines } from "../events.js";
import { runProgram } from "../fake-io.js";
import { type WorkingFolder, workingFolder } from "../run-cli.js";
import { scriptedServer } from "../scripted-server.js";

let folder: WorkingFolder;
let env: Record<string, string>;
let file: string;
beforeEach(async () => {
  folder = await workingFolder();
  env = { XDG_CONFIG_HOME: folder.path };
  file = join(folder.path, "glassloop", "config.json");
});
afterEach(() => folder[Symbol.asyncDispose]());

const config = (...args: string[]) => runProgram(["config", ...args], { env });

async function write(text: string): Promise<void> {
  await mkdir(join(folder.path, "glassloop"), { recursive: true });
  await writeFile(file, text);
}

describe("glassloop config", () => {
  test("sets, prints and removes settings in a file that only its owner can read", async () => {
    expect((await config("path")).stdout).toBe(`${file}\n`);
    expect(await config("set", "model", "openai:gpt-4o")).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    await config("set", "max-steps", "30");
    expect((await config("get")).stdout).toBe("model=openai:gpt-4o\nmax-steps=30\n");
    expect((await config("get", "max-steps")).stdout).toBe("30\n");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await config("unset", "model");
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ "max-steps": "30" });
    expect(await config("get", "model")).toEqual({ exitCode: 1, stdout: "", stderr: "" });
  });

  test.for<[command: string, sentence: string]>([
    ["set max-steps many", "max-steps: Give a whole number of at least 1."],
    ["set max-stps 3", 'There is no setting "max-stps". Did you mean max-steps?'],
    ["unset colour", 'There is no setting "colour". Possible are: db, model, base-url'],
    ["set memory tokens", 'memory: There is no memory "tokens". Give one such as: buffer, window'],
  ])("%s is refused, and changes nothing", async ([command, sentence]) => {
    await write('{"tools": "none"}');
    const { exitCode, stderr } = await config(...command.split(" "));
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`error: ${sentence}`)]);
    expect(await readFile(file, "utf8")).toBe('{"tools": "none"}');
  });

  test("says so if there is no place for the file", async () => {
    const { exitCode, stderr } = await runProgram(["config", "set", "model", "offline"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("Set HOME or XDG_CONFIG_HOME")]);
  });

  test("says so if the file cannot be read or written", async () => {
    await mkdir(file, { recursive: true });
    expect((await config("get")).stderr).toMatch(/^error: The config file .* cannot be read: EISDIR: [^\n]*\n$/);
    await symlink("nowhere", join(folder.path, "link"));
    const lost = { XDG_CONFIG_HOME: join(folder.path, "link") };
    const { exitCode, stderr } = await runProgram(["config", "set", "model", "offline"], { env: lost });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: The config file .* cannot be written: [^\n]*\n$/),
    ]);
  });

  test.for([
    ["{", "is no JSON object. Mend it, or delete it."],
    ['{"max-steps": "many"}', "max-steps: Give a whole number"],
    ['{"max-steps": []}', "max-steps: Give a text."],
    ['{"maxSteps": 3}', 'There is no setting "maxSteps". Did you mean max-steps?'],
  ])("says what is wrong with a file %s, and calls no model; --help works", async ([text = "", sentence]) => {
    await write(text);
    const { exitCode, stderr } = await runProgram(["ask", "--db", "memory:", "What is 2 + 2?"], { env });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(sentence ?? "")]);
    expect(stderr).toContain(file);
    expect((await runProgram(["--help"], { env })).exitCode).toBe(0);
    expect((await runProgram(["help", "config"], { env })).exitCode).toBe(0);
    expect((await config("path")).exitCode).toBe(0);
  });

  test("sets or removes a wrong line", async () => {
    await write('{"max-steps": "many", "maxSteps": 3, "model": "offline"}');
    expect((await config("unset", "maxSteps")).stderr).toContain("max-steps: Give a whole number");
    await write('{"maxSteps": 3, "model": "offline"}');
    expect((await config("unset", "maxSteps")).exitCode).toBe(0);
    await write('{"max-steps": "many", "model": "offline"}');
    expect((await config("set", "max-steps", "4")).exitCode).toBe(0);
    expect((await config("get")).stdout).toBe("model=offline\nmax-steps=4\n");
  });
});

describe("an error names the place of an invalid value", () => {
  test.for<[Record<string, string>, string]>([
    [{ db: "mysql:x" }, 'db: Threads cannot be kept in "mysql:"'],
    [{ model: "acme:x" }, 'model: "acme" is no provider'],
    [{ model: "llama", "base-url": "localhost" }, 'base-url: "localhost" is not a web address'],
    [{ "base-url": "http://127.0.0.1:1" }, "base-url: this is the server of a model"],
    [{ protocol: "tool-calling" }, "protocol: the offline rules make no native tool calls"],
  ])("which is the config file: %o", async ([lines, sentence]) => {
    await write(JSON.stringify({ db: "memory:", ...lines }));
    const { exitCode, stderr } = await runProgram(["ask", "Who?"], { env });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`error: ${file}: ${sentence}`)]);
  });

  test("which is a variable or an option that comes before the file", async () => {
    await write(JSON.stringify({ db: "mysql:x", model: "acme:x" }));
    const both = { ...env, GLASSLOOP_DB: "oracle:x", GLASSLOOP_MODEL: "other:x" };
    const errorOf = async (...args: string[]) => (await runProgram(["ask", ...args, "Who?"], { env: both })).stderr;
    expect(await errorOf()).toContain('error: GLASSLOOP_DB: Threads cannot be kept in "oracle:"');
    expect(await errorOf("--db", "db2:x")).toContain('error: --db: Threads cannot be kept in "db2:"');
    expect(await errorOf("--db", "memory:")).toContain('error: GLASSLOOP_MODEL: "other" is no provider');
    expect(await errorOf("--db", "memory:", "--model", "third:x")).toContain('error: --model: "third" is no provider');
  });
});

describe("a setting is taken", () => {
  const answer = "Final Answer: Four.";
  const ask = (io: Parameters<typeof runProgram>[1] = {}, ...options: string[]) =>
    runProgram(["ask", "--db", "memory:", ...options, "Who?"], { env, ...io });

  test("from the config file, below variables, below options", async () => {
    await using model = await scriptedServer([answer, answer, answer]);
    await write(JSON.stringify({ model: "of-file", "base-url": model.server.url, protocol: "react", temperature: 1 }));
    await ask();
    await ask({ env: { ...env, GLASSLOOP_MODEL: "of-variable", GLASSLOOP_BASE_URL: model.server.url } });
    await ask({ env: { ...env, GLASSLOOP_TEMPERATURE: "0.2" } }, "--model", "of-option");
    expect(model.server.requests.map(({ body }) => [body.model, body.temperature])).toEqual([
      ["of-file", 1],
      ["of-variable", 1],
      ["of-option", 0.2],
    ]);
  });

  test("with its server: a model of a variable does not go to the server of the config file", async () => {
    await using model = await scriptedServer([answer]);
    await write(JSON.stringify({ model: "local", "base-url": model.server.url }));
    const { stderr } = await ask({ env: { ...env, GLASSLOOP_MODEL: "offline" } });
    expect(stderr).toContain("Offline rules");
    expect(model.server.requests).toEqual([]);
  });

  test("for the database, too", async () => {
    await config("set", "db", `sqlite:${folder.path}/mine.db`);
    await runProgram(["ask", "-t", "t", "What is 2 + 2?"], { env });
    expect(await folder.files()).toContain("mine.db");
    expect((await runProgram(["threads", "list"], { env })).stdout).toContain("What is 2 + 2?");
  });

  test("from .env, as far as Studio's example goes, below the variables of the process", async () => {
    await using model = await scriptedServer([answer, answer]);
    const text = [
      `OPENAI_BASE_URL=${model.server.url}`,
      "OPENAI_API_KEY=sk-of-the-folder",
      "GLASSLOOP_MODEL=openai:of-folder",
      "GLASSLOOP_SYSTEM=Obey the folder.",
      "GLASSLOOP_MCP=/nowhere/evil.json",
      "EDITOR=evil",
    ].join("\n");
    const run = async (env: Record<string, string>) => {
      await ask({ env, dotEnv: () => text }, "--protocol", "react");
    };
    await run({});
    await run({ GLASSLOOP_MODEL: "openai:of-process" });
    const [first, second] = model.server.requests;
    expect(first?.headers.authorization).toBe("Bearer sk-of-the-folder");
    expect([first?.body.model, second?.body.model]).toEqual(["of-folder", "of-process"]);
    expect(JSON.stringify(first?.body)).not.toContain("Obey the folder");
  });

  test("from the .env of the working folder, by the program as people run it", async () => {
    await writeFile(join(folder.path, ".env"), "GLASSLOOP_MODEL=acme:x\n");
    const { exitCode, stderr } = await folder.run(["ask", "Who?"]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('error: GLASSLOOP_MODEL in .env: "acme" is no provider'),
    ]);
  });
});

describe("glassloop models", () => {
  test("tells which providers are ready, and what the others need", async () => {
    const { exitCode, stdout } = await runProgram(["models"], { env: { ANTHROPIC_API_KEY: "key" } });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^offline +ready$/m);
    expect(stdout).toMatch(/^openai +needs: set OPENAI_API_KEY, or OPENAI_BASE_URL of a server$/m);
    expect(stdout).toMatch(/^anthropic +needs: npm install @langchain\/anthropic$/m);
    expect(stdout).toMatch(/^xai +needs: npm install @langchain\/xai; set XAI_API_KEY$/m);
  });

  test("prints one JSON object a line with --json", async () => {
    const { stdout } = await runProgram(["models", "--json"], { env: { OPENAI_API_KEY: "key" } });
    const openai = { type: "provider", provider: "openai", ready: true, needs: [] };
    expect(parseLines(stdout)).toContainEqual(openai);
  });
});
