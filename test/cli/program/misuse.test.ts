import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { protocolNames } from "../../../src/protocols/index.js";
import { parseEvents } from "../events.js";
import { runProgram } from "../fake-io.js";
import { type WorkingFolder, workingFolder } from "../run-cli.js";

let folder: WorkingFolder;
beforeAll(async () => {
  folder = await workingFolder();
  await writeFile(join(folder.path, "letter.txt"), "This is a letter, and not a database.");
  await mkdir(join(folder.path, "folder"));
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Runs `glassloop` with FOLDER in its arguments replaced by the test's folder. */
function run(command: string, input = "") {
  const args = command.split(" ").map((arg) => arg.replace("FOLDER", folder.path).replace("''", ""));
  return runProgram(args, { input });
}

describe("wrong use ends with 2 and an error message that says what is possible", () => {
  test.for<[command: string, sentence: RegExp]>([
    ["Hello", /unknown command 'Hello'\n\(glassloop ask "…" asks a question; --help shows/],
    ["asks", /unknown command 'asks'.*Did you mean ask\?/s],
    ["ask --modle x Hello?", /unknown option '--modle'.*Did you mean --model\?/s],
    ["ask --thread", /'-t, --thread <id>' argument missing/],
    ["ask", /The question is empty/],
    ["ask --max-steps 0 Hello?", /--max-steps .*Give a whole number of at least 1/],
    [
      "ask --tools calculator,abacus Hello?",
      /"abacus" is no tool. Give some of calculator,documents,fetch,ask_human,web, or none/,
    ],
    [
      "ask --approve sometimes Hello?",
      /--approve .*There is no policy "sometimes". Give one of: never, effects, always/,
    ],
    ["ask --protocol telepathy Hello?", /--protocol .*There is no protocol "telepathy". Give one of: auto, .*react/],
    ["ask --db sqlite: Hello?", /--db: "sqlite:" has no path. Give the path of a file/],
    ["ask --model gpt-4o Hello?", /--model: "gpt-4o" has no provider. Write "openai:gpt-4o"/],
    ["ask --model '' Hello?", /--model: a model's name is needed/],
    ["ask --model acme:gpt Hello?", /--model: "acme" is no provider/],
    ["ask --model anthropic:claude Hello?", /npm install @langchain\/anthropic$/m],
    ["ask --model ollama:qwen3:8b --base-url http://gpu:11434 Hello?", /npm install @langchain\/ollama$/m],
    ["ask --model openai:gpt-4o Hello?", /OPENAI_API_KEY/],
    [
      "ask --base-url http://127.0.0.1:1/v1 Hello?",
      /--base-url: this is the server of a model: name that with --model/,
    ],
    ["ask --model llama --base-url localhost Hello?", /--base-url: "localhost" is not a web address/],
    ["ask --embeddings bert Hello?", /--embeddings: "bert" cannot be loaded. Write "openai:NAME"/],
    ["ask --embeddings openai:m Hello?", /--embeddings: Models of openai need an API key: set OPENAI_API_KEY, or name/],
    ["ask --embeddings openai:m --embeddings-url x Hello?", /--embeddings-url: "x" is not a web address/],
    ["ask --embeddings-url http://127.0.0.1:1/v1 Hello?", /--embeddings-url: .* name that with --embeddings\.$/m],
    ["ask --docs FOLDER/nowhere Hello?", /--docs: there is no folder ".*nowhere"/],
    ["ask --docs FOLDER/letter.txt Hello?", /--docs: ".*letter.txt" is no folder/],
    ["ask --db memory: --thread '' Hello?", /This thread id cannot be used: it is empty/],
    ["chat Hello?", /too many arguments for 'chat'/],
    ["threads shwo", /unknown command 'shwo'.*Did you mean show\?/s],
    ["threads rename x y", /unknown command 'rename'/],
    ["threads show", /missing required argument 'id'/],
    ["threads list --limit none", /--limit .*Give a whole number of at least 1/],
    ["threads list --db mysql:", /Give "memory:", "sqlite:PATH"/],
  ])("%s", async ([command, sentence]) => {
    const { exitCode, stdout, stderr } = await run(command);
    expect(stderr).toMatch(sentence);
    expect(stderr).toMatch(/^error: /);
    expect(stderr).not.toMatch(/\n +at /);
    expect([exitCode, stdout]).toEqual([2, ""]);
  });

  test.for([
    ["OPENAI_API_KEY", "sk-…", "OPENAI_API_KEY: this key has a character that a key cannot have"],
    ["GLASSLOOP_EMBEDDINGS", "bert", 'GLASSLOOP_EMBEDDINGS: "bert" cannot be loaded'],
    ["OPENAI_BASE_URL", "localhost", 'OPENAI_BASE_URL: "localhost" is not a web address'],
    ["GLASSLOOP_DB", "threads.db", "GLASSLOOP_DB: Threads cannot be kept in a place without a scheme"],
    ["GLASSLOOP_MAX_STEPS", "many", "GLASSLOOP_MAX_STEPS: Give a whole number of at least 1."],
    ["GLASSLOOP_BASE_URL", "localhost", 'GLASSLOOP_BASE_URL: "localhost" is not a web address'],
  ])("with an invalid variable %s", async ([variable = "", value, sentence]) => {
    const env = { OPENAI_API_KEY: "key", [variable]: value };
    const { exitCode, stdout, stderr } = await runProgram(["ask", "Hello?"], { env });
    expect(stderr).toContain(`error: ${sentence}`);
    expect([exitCode, stdout]).toEqual([2, ""]);
  });

  test.for([
    ["ask --json --modle x Hello?", 2, "UsageError", "wrong-use", "unknown option '--modle'"],
    [
      "threads list --json --db mysql:",
      2,
      "InvalidOptionError",
      "invalid-option",
      'Threads cannot be kept in "mysql:"',
    ],
    ["threads show --json --db memory: me", 1, "ThreadError", "thread-not-found", 'There is no thread "me"'],
  ] as const)("%s prints the error as a JSON object on stdout, too", async ([command, exit, name, code, message]) => {
    const { exitCode, stdout, stderr } = await run(command);
    expect(parseEvents(stdout)).toMatchObject([
      { type: "error", name, code, message: expect.stringContaining(message) },
    ]);
    expect(stderr).toMatch(/^error: /);
    expect(exitCode).toBe(exit);
  });

  test("reads --json after -- as a word of the question", async () => {
    const { stdout } = await runProgram(["ask", "--max-steps", "0", "--", "--json"]);
    expect(stdout).toBe("");
  });

  test("says how to ask a question that begins with a dash", async () => {
    const { exitCode, stderr } = await runProgram(["ask", "-5 + 3"]);
    expect(stderr).toMatch(/unknown option '-5 \+ 3'.*put -- before words/s);
    expect(exitCode).toBe(2);
  });

  test.for(["", "threads"])("glassloop %s without a command shows its commands", async (command) => {
    const { exitCode, stdout, stderr } = await runProgram(command === "" ? [] : [command]);
    expect(stderr).toMatch(/^Usage: glassloop .*Commands:/s);
    expect([exitCode, stdout]).toEqual([2, ""]);
  });

  test("makes no database", async () => {
    await run("ask --db sqlite:FOLDER/new.db --model nonsense Hello?");
    await run("ask --db sqlite:FOLDER/new.db --docs FOLDER/nowhere Hello?");
    await run("ask --db sqlite:FOLDER/new.db");
    expect(await folder.files()).not.toContain("new.db");
  });
});

describe("a database that cannot be used ends with 1 and a sentence", () => {
  test.for<[place: string, sentence: RegExp]>([
    ["FOLDER/letter.txt", /letter\.txt: this file is not a SQLite database/],
    ["FOLDER/folder", /folder: this is a folder. Give the path of a file/],
    ["FOLDER/letter.txt/threads.db", /a part of this path is a file, not a folder/],
    // Nobody can make a file or a folder there, not even root.
    ["/proc/glassloop/threads.db", /threads\.db: .*Give another path|you may not write/],
  ])("%s", async ([place, sentence]) => {
    // Where nothing is to be made, a place that has no database is one without threads.
    const others = place.startsWith("/proc") ? [] : ["threads list", "threads remove x --yes"];
    for (const command of ["ask --tools none Hello?", ...others]) {
      const { exitCode, stdout, stderr } = await run(`${command} --db sqlite:${place}`);
      expect(stderr).toMatch(sentence);
      expect(stderr).toMatch(/^error: .*\n$/);
      expect([exitCode, stdout]).toEqual([1, ""]);
    }
  });
});

describe("--help and --version", () => {
  test("print to stdout and end with 0", async () => {
    const { version } = (await import("../../../package.json", { with: { type: "json" } })).default;
    expect(await runProgram(["--version"])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
    for (const args of [["--help"], ["help", "ask"], ["ask", "--help"], ["threads", "list", "--help"]]) {
      const { exitCode, stdout, stderr } = await runProgram(args);
      expect(stdout).toMatch(/^Usage: glassloop /);
      expect([exitCode, stderr]).toEqual([0, ""]);
    }
  });

  test.for([
    ["help", ""],
    ["help threads list", "threads list"],
  ])("%s is the help of one command", async ([words = "", command = ""]) => {
    const asked = await run(words);
    expect(asked).toEqual(await run(`${command} --help`.trim()));
    expect([asked.exitCode, asked.stdout]).toEqual([0, expect.stringMatching(/^Usage: glassloop /)]);
  });

  test("show lines that fit a terminal of 80 columns", async () => {
    for (const group of ["threads", "docs"]) {
      const [listed = ""] = (await runProgram([group, "--help"])).stdout.split("\nExamples:");
      expect(listed.split("\n").filter((line) => line.length > 80)).toEqual([]);
    }
  });

  test("name every protocol", async () => {
    const { stdout } = await runProgram(["ask", "--help"]);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      `how the agent and the model talk: auto, ${protocolNames.join(", ")}`,
    );
  });
});
