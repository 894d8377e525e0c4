import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { DocumentIndex } from "../../../src/documents/index/document-index.js";
import { stepsIn } from "../../helpers/turn-events.js";
import { parseEvents } from "../events.js";
import { runProgram } from "../fake-io.js";
import { workingFolder } from "../run-cli.js";
import { scriptedServer, squareRoot, squareRootReplies } from "../scripted-server.js";

describe.concurrent("glassloop ask, as a process", () => {
  test("prints only the answer to stdout, and the thread and the steps to stderr", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer(squareRootReplies);
    const { exitCode, stdout, stderr } = await folder.run(["ask", ...model.options, "-t", "roots", squareRoot]);
    expect(stdout).toBe("The square root of 25 is 5.\n");
    expect(stderr.split("\n")).toEqual([
      "Thread roots",
      "Thought: I need to use a calculator for this",
      "Action: calculator",
      "Action Input: 25^(1/2)",
      "Observation: 5",
      "",
    ]);
    expect(exitCode).toBe(0);
  });

  test("prints the transcript of langchain-mini step by step with --verbose, and shows it again later", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer(squareRootReplies);
    const { stdout, stderr } = await folder.run(["ask", "--verbose", ...model.options, "-t", "roots", squareRoot]);
    const [first = "", second = ""] = model.server.prompts();
    const steps = [
      `Prompt to scripted; stop "\\nObservation:":\n${first}`,
      "Reply:\n I need to use a calculator for this\nAction: calculator\nAction Input: 25^(1/2)",
      `Prompt to scripted; stop "\\nObservation:":\n${second}`,
      "Reply:\n I now know the final answer\nFinal Answer: The square root of 25 is 5.\n",
    ];
    const [one, two, ...others] = steps;
    expect(stderr).toBe(["Thread roots", one, two, "Observation: 5", ...others].join("\n"));
    expect(second.slice(second.lastIndexOf("Question:"))).toBe(
      [
        "Question: What is the square root of 25?",
        "Thought: I need to use a calculator for this",
        "Action: calculator",
        "Action Input: 25^(1/2)",
        "Observation: 5",
        "Thought:",
      ].join("\n"),
    );
    expect(stdout).toBe("The square root of 25 is 5.\n");
    const show = ["threads", "show", "roots", "--prompts", "--db", `sqlite:${folder.path}/.glassloop/threads.db`];
    const shown = await runProgram(show);
    expect(shown.stdout.replaceAll("Turn 1, as it was sent\n", "")).toBe(steps.join("\n"));
    const json = await runProgram([...show, "--json"]);
    const lines = json.stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { type: "prompt", thread: "roots", turn: 1, messages: [{ type: "human", content: first }], exact: true },
      { type: "prompt", thread: "roots", turn: 1, messages: [{ type: "human", content: second }], exact: true },
    ]);
  });

  test("starts a new thread, prints its id, and continues it with --thread", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([
      " Easy.\nFinal Answer: Ada.",
      "Who was Ada's father?",
      " Easy.\nFinal Answer: Byron.",
    ]);
    const first = await folder.run(["ask", ...model.options, "Who wrote the first program?"]);
    const [, thread = ""] = /^Thread (\S+)$/m.exec(first.stderr) ?? [];
    expect(thread).toMatch(/^[\da-f-]{36}$/);
    const second = await folder.run(["ask", ...model.options, "--thread", thread, "Who was her father?"]);
    expect(second.stdout).toBe("Byron.\n");
    expect(second.stderr).toContain(`Thread ${thread}, 1 turn so far\n`);
    expect(second.stderr).toContain("Question: Who was Ada's father?\n");
    expect(model.server.prompts()[1]).toContain("Who wrote the first program?");
  });

  test("reads the question of a pipe", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([" Easy.\nFinal Answer: 42."]);
    const { exitCode, stdout } = await folder.run(["ask", ...model.options, "--quiet"], {
      input: "What is six\ntimes seven?\n",
    });
    expect([exitCode, stdout]).toEqual([0, "42.\n"]);
    expect(model.server.prompts()[0]).toContain("Question: What is six\ntimes seven?");
  });

  test("prints one JSON object a line with --json", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer(squareRootReplies);
    const { exitCode, stdout } = await folder.run(["ask", "--json", ...model.options, "-t", "roots", squareRoot]);
    const events = parseEvents(stdout);
    expect(new Set(events.map((event) => event.thread))).toEqual(new Set(["roots"]));
    expect(events.filter((event) => !event.type.endsWith("-delta")).map((event) => event.type)).toEqual([
      "turn-start",
      "question",
      "model-start",
      "model-end",
      "thought",
      "action",
      "observation",
      "model-start",
      "model-end",
      "answer",
      "turn-end",
    ]);
    const pieces = events.flatMap((event) => (event.type === "answer-delta" ? [event.text] : []));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join("")).toBe("The square root of 25 is 5.");
    expect(events.at(-1)).toMatchObject({
      stopReason: "answered",
      usage: { turn: { modelCalls: 2, toolCalls: 1, inputTokens: 20 } },
    });
    expect(exitCode).toBe(0);
  });

  test("names a retry of the model, in a pipe without control characters, and stores nothing with --db memory:", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([{ status: 503, message: "busy" }, " Easy.\nFinal Answer: 42."]);
    const { stdout, stderr } = await folder.run([
      "ask",
      ...model.options,
      "--db",
      "memory:",
      "-t",
      "t",
      "What is six times seven?",
    ]);
    expect(stdout).toBe("42.\n");
    expect(stderr).toMatch(/^Thread t\nNote: second try in 1 s\. The model's server .*failed \(503\): busy\..*\n$/);
    expect(stripVTControlCharacters(stderr)).toBe(stderr);
    expect(await folder.files()).toEqual([]);
  });

  test("survives a reader that closes the pipe", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer(squareRootReplies);
    const { exitCode, stderr } = await folder.run(["ask", "--json", "--quiet", ...model.options, squareRoot], {
      during: (child) => child.stdout?.destroy(),
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });

  test("leaves two databases behind, and no -wal or -shm file", async () => {
    await using folder = await workingFolder();
    const { exitCode } = await folder.run(["ask", "--quiet", "What is the world record for a Rubik's cube?"]);
    expect(exitCode).toBe(0);
    expect((await readdir(join(folder.path, ".glassloop"))).sort()).toEqual([
      ".gitignore",
      "threads.db",
      "threads.documents.db",
    ]);
  });
});

describe("glassloop ask", () => {
  const kept = ["--db", "memory:"];
  const answer42 = [" Easy.\nFinal Answer: 42."];

  test("prints prompts and replies as events with --verbose --json, and refuses --verbose with --quiet", async () => {
    await using model = await scriptedServer(squareRootReplies);
    const { stdout } = await runProgram(["ask", "--verbose", "--json", ...model.options, ...kept, squareRoot]);
    const events = parseEvents(stdout);
    const prompts = events.flatMap((event) => (event.type === "prompt" ? [event.messages[0]?.content] : []));
    expect(prompts).toEqual(model.server.prompts());
    const replies = events.flatMap((event) => (event.type === "reply" ? [event.text] : []));
    expect(replies).toEqual(squareRootReplies);
    const { exitCode, stderr } = await runProgram(["ask", "--verbose", "--quiet", squareRoot]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("cannot be used with option '--verbose'");
  });

  test.concurrent("has an event for a retry with --json", async () => {
    await using model = await scriptedServer([503, " Easy.\nFinal Answer: 42."]);
    const { stdout } = await runProgram(["ask", "--json", ...model.options, ...kept, "What is six times seven?"]);
    const types = parseEvents(stdout).map(({ type }) => type);
    expect(types.slice(2, 5)).toEqual(["model-start", "retry", expect.stringMatching(/-delta$/)]);
  });

  test("calls the next model when one has failed, and says so", async () => {
    await using model = await scriptedServer([401, " Easy.\nFinal Answer: 42."]);
    const options = [...model.options, "--model", "openai:big, openai:small", "-t", "t"];
    const { stdout, stderr } = await runProgram(["ask", ...options, ...kept, "What is six times seven?"]);
    expect(stdout).toBe("42.\n");
    expect(stderr).toMatch(/^Thread t\nNote: big failed; asking small\. The model's server .* refused the API key/);
  });

  test.concurrent.for([
    ["--timeout", "1"],
    ["--first-token-timeout", "1", "--timeout", "2"],
  ])("does not wait longer than %s allows", async ([option = "", ...more]) => {
    await using model = await scriptedServer(Array.from({ length: 3 }, () => ({ hang: true })));
    const { exitCode, stderr } = await runProgram([
      "ask",
      ...model.options,
      ...kept,
      option,
      ...more,
      "What is six times seven?",
    ]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/The model's server .* within 1 s\. Ask again, or allow it more time/);
    expect(stderr).toContain(`(${option}; `);
  });

  test("prints a failure with --json on stdout, too", async () => {
    await using model = await scriptedServer([401]);
    const { exitCode, stdout, stderr } = await runProgram([
      "ask",
      "--json",
      "--quiet",
      ...model.options,
      ...kept,
      squareRoot,
    ]);
    const events = parseEvents(stdout);
    expect(stepsIn(events).map((event) => event.type)).toEqual(["question", "error"]);
    expect(events.at(-2)).toMatchObject({ name: "ModelError", code: "model-failed", kind: "authentication" });
    expect(events.at(-1)).toMatchObject({ stopReason: "failed" });
    expect(stderr).toMatch(/^error: .*\(401\)/);
    expect(exitCode).toBe(1);
  });

  test("takes model and database from the environment", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([" Easy.\nFinal Answer: 42."]);
    const { stdout } = await runProgram(["ask", "--tools", "none", "--protocol", "react", "What is six times seven?"], {
      env: {
        GLASSLOOP_MODEL: "openai:scripted",
        OPENAI_BASE_URL: model.server.url,
        GLASSLOOP_DB: `sqlite:${folder.path}/mine.db`,
      },
    });
    expect(stdout).toBe("42.\n");
    expect(await folder.files()).toContain("mine.db");
  });

  test("takes the words of a question without quotes", async () => {
    await using model = await scriptedServer(answer42);
    await runProgram(["ask", ...model.options, ...kept, "What", "is", "six", "times", "seven?"]);
    expect(model.server.prompts()[0]).toContain("Question: What is six times seven?");
  });

  test("reads the question from a pipe if it is -", async () => {
    await using model = await scriptedServer(answer42);
    await runProgram(["ask", ...model.options, ...kept, "-"], { input: "What is six times seven?\n" });
    expect(model.server.prompts()[0]).toContain("Question: What is six times seven?");
  });

  test("prints only the answer with --quiet", async () => {
    const result = await runProgram(["ask", "--quiet", "--tools", "calculator", ...kept, squareRoot]);
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(result.stdout).toMatch(/\b5\b.*\n$/);
  });

  test("closes the index of the documents when it has answered", async () => {
    using close = vi.spyOn(DocumentIndex.prototype, "close");
    await runProgram(["ask", "--quiet", "--model", "offline", ...kept, "What is the world record for a Rubik's cube?"]);
    expect(close).toHaveBeenCalledOnce();
  });

  test("says that offline rules answer, not a language model", async () => {
    const { stderr } = await runProgram(["ask", "--tools", "calculator", ...kept, squareRoot]);
    expect(stderr).toContain("Offline rules answer here, not a language model: they calculate and quote documents.");
  });

  test("says which model answers when only a key is set", async () => {
    await using model = await scriptedServer(squareRootReplies);
    const env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: model.server.url };
    const { stderr } = await runProgram(["ask", "--protocol", "react", ...kept, squareRoot], { env });
    expect(stderr).toMatch(
      /^openai:gpt-4o-mini answers, as OPENAI_API_KEY is set\. Give --model to use another one\.\nThread /,
    );
  });

  test("shows steps and answer together on a terminal", async () => {
    await using model = await scriptedServer(squareRootReplies);
    const result = await runProgram(["ask", ...model.options, ...kept, squareRoot], { terminal: "stdout" });
    expect(stripVTControlCharacters(result.stdout)).toMatch(
      /Action: calculator\n.*\nAnswer: The square root of 25 is 5.\n2 steps · .* tokens\n$/s,
    );
    expect(result.stderr).toMatch(/^Thread \S+\n$/);
  });

  test("shows the answer without the steps with --show answer, and the sources that it cites", async () => {
    const cites = " I now know\nFinal Answer: Geng holds it [1].";
    await using model = await scriptedServer([" I search\nAction: document_search\nAction Input: record", cites]);
    const options = [...model.options, ...kept, "--tools", "documents", "--show", "answer"];
    const { stdout } = await runProgram(["ask", ...options, "Who holds the record?"], { terminal: "stdout" });
    expect(stripVTControlCharacters(stdout)).toMatch(
      /^Geng holds it \[1\]\.\n\[1\] Rubik's Cube, rubiks-cube\.md > .*\n2 steps · .* tokens\n$/,
    );
  });

  test("shows the model's thinking only with --show thinking, and never on stdout", async () => {
    const [step = "", answer = ""] = squareRootReplies.map((reply) => String(reply));
    const script = [step, answer].map((text) => ({ text, reasoning: { reasoning: `Hm, ${text.length}.` } }));
    await using model = await scriptedServer([...script, ...script]);
    const asked = ["ask", ...model.options, ...kept, squareRoot];
    const thinking = await runProgram([...asked, "--show", "thinking"]);
    expect(thinking.stdout).toBe("The square root of 25 is 5.\n");
    const lines = thinking.stderr.split("\n").filter((line) => /^(?:Thinking|Thought|Observation)/.test(line));
    expect(lines).toEqual([
      `Thinking: Hm, ${step.length}.`,
      "Thought: I need to use a calculator for this",
      "Observation: 5",
      `Thinking: Hm, ${answer.length}.`,
    ]);
    expect((await runProgram(asked)).stderr).not.toContain("Hm");
  });

  test("ends with 1 when a limit stops it, with the best answer on stdout, or else a sentence on stderr", async () => {
    const call = squareRootReplies[0] ?? "";
    await using best = await scriptedServer([call, call, "About 5."]);
    const limited = [...kept, "--max-steps", "1", squareRoot];
    const answered = await runProgram(["ask", ...best.options, ...limited]);
    expect(answered).toMatchObject({ exitCode: 1, stdout: "About 5.\n" });
    expect(answered.stderr).toContain("The turn ended at a limit: the question was not settled after 1 step");
    await using none = await scriptedServer([call, call, call]);
    const result = await runProgram(["ask", ...none.options, ...limited]);
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toContain("Stopped: I stopped without an answer");
  });

  test("prints after a limit a command that continues the turn to its answer", async () => {
    await using folder = await workingFolder();
    const db = ["--db", `sqlite:${folder.path}/threads.db`];
    const [call = "", answer = ""] = squareRootReplies;
    await using model = await scriptedServer([call, call, "About 5.", answer]);
    const limited = await runProgram(["ask", ...model.options, ...db, "-t", "roots", "--max-steps", "1", squareRoot]);
    expect(limited).toMatchObject({ exitCode: 1, stdout: "About 5.\n" });
    const [, command = ""] = /^Go on with this turn: glassloop (.+)$/m.exec(limited.stderr) ?? [];
    const resumed = await runProgram([...command.split(" "), ...model.options]);
    expect(resumed).toMatchObject({ exitCode: 0, stdout: "The square root of 25 is 5.\n" });
    const again = await runProgram(["threads", "resume", "roots", ...db, ...model.options]);
    expect(again).toMatchObject({ exitCode: 0, stdout: "" });
    expect(again.stderr).toContain("There is nothing to resume");
  });

  test("ends with 1 and a sentence, not a stack, when the model fails", async () => {
    await using model = await scriptedServer([401]);
    const result = await runProgram(["ask", "--quiet", ...model.options, ...kept, squareRoot]);
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toMatch(/^error: .*refused the API key \(401\).*\n$/);
  });

  test("prints errors before the turn as JSON with --json", async () => {
    const result = await runProgram(["ask", "--json", "--model", "nonsense", ...kept, squareRoot]);
    expect(parseEvents(result.stdout)).toMatchObject([
      { type: "error", name: "InvalidOptionError", code: "invalid-option" },
    ]);
    expect(result.stderr).toMatch(/^error: .*nonsense/);
    expect(result.exitCode).toBe(2);
  });

  test("uses OpenAI's model if its key is set", async () => {
    await using model = await scriptedServer(answer42);
    const env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: model.server.url, GLASSLOOP_MODEL: "" };
    await runProgram(["ask", "--tools", "none", "--protocol", "react", ...kept, "What is six times seven?"], { env });
    expect(model.server.requests[0]?.body.model).toBe("gpt-4o-mini");
    expect(model.server.requests[0]?.headers.authorization).toBe("Bearer key");
  });
});
