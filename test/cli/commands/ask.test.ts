import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { stepsIn } from "../../helpers/turn-events.js";
import { parseEvents, parseLines } from "../events.js";
import { runProgram } from "../fake-io.js";
import { workingFolder } from "../run-cli.js";
import { modelAndDatabase, scriptedServer, squareRoot, squareRootReplies } from "../scripted-server.js";

describe("glassloop ask, as a process", () => {
  test("prints only the answer to stdout, the thread and the steps to stderr, and leaves one database behind", async () => {
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
    expect(await readdir(join(folder.path, ".glassloop"))).toEqual([".gitignore", "threads.db"]);
  });

  test("survives a reader that closes the pipe", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer(squareRootReplies);
    const { exitCode, stderr } = await folder.run(["ask", "--json", "--quiet", ...model.options, squareRoot], {
      during: (child) => child.stdout?.destroy(),
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });
});

describe("glassloop ask", () => {
  const kept = ["--db", "memory:"];
  const answer42 = [" Easy.\nFinal Answer: 42."];
  const ask = (words: readonly string[], io?: Parameters<typeof runProgram>[1]) =>
    runProgram(["ask", ...kept, ...words], io);

  test("prints the transcript of langchain-mini step by step with --verbose, and shows it again later", async () => {
    await using at = await modelAndDatabase([...squareRootReplies, ...squareRootReplies]);
    const { model } = at;
    const verbose = ["--verbose", ...model.options, "-t", "roots", squareRoot];
    const { stdout, stderr } = await at.run(["ask", ...verbose]);
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
    const show = ["threads", "show", "roots", "--prompts"];
    const shown = await at.run(show);
    expect(shown.stdout.replaceAll("Turn 1, as it was sent\n", "")).toBe(steps.join("\n"));
    const json = await at.run([...show, "--json"]);
    const prompts = [first, second].map((content) => ({
      type: "prompt",
      thread: "roots",
      turn: 1,
      messages: [{ type: "human", content }],
      exact: true,
    }));
    expect(parseLines(json.stdout)).toMatchObject(prompts);

    const events = parseEvents((await ask(["--json", ...verbose])).stdout);
    const sent = events.flatMap((event) => (event.type === "prompt" ? [event.messages[0]?.content] : []));
    expect(sent).toEqual([first, second]);
    expect(events.flatMap((event) => (event.type === "reply" ? [event.text] : []))).toEqual(squareRootReplies);
    const refused = await ask(["--verbose", "--quiet", squareRoot]);
    expect(refused.stderr).toContain("cannot be used with option '--verbose'");
  });

  test("starts a new thread, prints its id, and continues it with --thread", async () => {
    const replies = [" Easy.\nFinal Answer: Ada.", "Who was Ada's father?", " Easy.\nFinal Answer: Byron."];
    await using at = await modelAndDatabase(replies);
    const first = await at.run(["ask", ...at.model.options, "Who wrote the first program?"]);
    const [, thread = ""] = /^Thread (\S+)$/m.exec(first.stderr) ?? [];
    expect(thread).toMatch(/^[\da-f-]{36}$/);
    const second = await at.run(["ask", ...at.model.options, "--thread", thread, "Who was her father?"]);
    expect(second.stdout).toBe("Byron.\n");
    expect(second.stderr).toContain(`Thread ${thread}, 1 turn so far\n`);
    expect(second.stderr).toContain("Question: Who was Ada's father?\n");
    expect(at.model.server.prompts()[1]).toContain("Who wrote the first program?");
  });

  test("prints one JSON object a line with --json", async () => {
    await using model = await scriptedServer(squareRootReplies);
    const { exitCode, stdout } = await ask(["--json", ...model.options, "-t", "roots", squareRoot]);
    const events = parseEvents(stdout);
    expect(new Set(events.map((event) => event.thread))).toEqual(new Set(["roots"]));
    const step = ["model-start", "model-end", "thought", "action", "observation"];
    expect(events.filter((event) => !event.type.endsWith("-delta")).map((event) => event.type)).toEqual([
      ...["turn-start", "question", ...step],
      ...["model-start", "model-end", "answer", "turn-end"],
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
    await using model = await scriptedServer([{ status: 503, message: "busy" }, ...answer42]);
    const words = ["ask", ...model.options, ...kept, "-t", "t", "What is six times seven?"];
    const { stdout, stderr } = await folder.runHere(words);
    expect(stdout).toBe("42.\n");
    expect(stderr).toMatch(/^Thread t\nNote: second try in 1 s\. The model's server .*failed \(503\): busy\..*\n$/);
    expect(stripVTControlCharacters(stderr)).toBe(stderr);
    expect(await folder.files()).toEqual([]);
  });

  test("leaves no -wal or -shm file of the documents behind", async () => {
    await using folder = await workingFolder();
    await folder.runHere(["ask", "--quiet", "What is the world record for a Rubik's cube?"]);
    const files = [".gitignore", "threads.db", "threads.documents.db"];
    expect((await readdir(join(folder.path, ".glassloop"))).sort()).toEqual(files);
  });

  test("calls the next model when one has failed, and says so", async () => {
    await using model = await scriptedServer([401, ...answer42]);
    const options = [...model.options, "--model", "openai:big, openai:small", "-t", "t"];
    const { stdout, stderr } = await ask([...options, "What is six times seven?"]);
    expect(stdout).toBe("42.\n");
    expect(stderr).toMatch(/^Thread t\nNote: big failed; asking small\. The model's server .* refused the API key/);
  });

  test.concurrent.for([
    ["--timeout", "1"],
    ["--first-token-timeout", "1", "--timeout", "2"],
  ])("does not wait longer than %s allows", async (limits) => {
    await using model = await scriptedServer(() => ({ hang: true }));
    const { exitCode, stderr } = await ask([...model.options, ...limits, "What is six times seven?"]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/The model's server .* within 1 s\. Ask again, or allow it more time/);
    expect(stderr).toContain(`(${limits[0]}; `);
  });

  test("ends with 1 and a sentence when the model fails, on stdout too with --json", async () => {
    await using model = await scriptedServer([401]);
    const { exitCode, stdout, stderr } = await ask(["--json", "--quiet", ...model.options, squareRoot]);
    const events = parseEvents(stdout);
    expect(stepsIn(events).map((event) => event.type)).toEqual(["question", "error"]);
    expect(events.at(-2)).toMatchObject({ name: "ModelError", code: "model-failed", kind: "authentication" });
    expect(events.at(-1)).toMatchObject({ stopReason: "failed" });
    expect(stderr).toMatch(/^error: .*refused the API key \(401\).*\n$/);
    expect(exitCode).toBe(1);
  });

  test("says which model answers: the offline rules, or one of OpenAI if a key is set", async () => {
    const offline = await ask(["--tools", "calculator", squareRoot]);
    expect(offline.stdout).toMatch(/\b5\b.*\n$/);
    expect(offline.stderr).toContain("Offline rules answer here, not a language model: they calculate and quote");
    await using model = await scriptedServer(squareRootReplies);
    const env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: model.server.url, GLASSLOOP_MODEL: "" };
    const { stderr } = await ask(["--protocol", "react", squareRoot], { env });
    const told = "openai:gpt-4o-mini answers, as OPENAI_API_KEY is set. Give --model to use another one.\nThread ";
    expect(stderr.slice(0, told.length)).toBe(told);
    const [request] = model.server.requests;
    expect([request?.body.model, request?.headers.authorization]).toEqual(["gpt-4o-mini", "Bearer key"]);
  });

  test("shows steps and answer together on a terminal", async () => {
    await using model = await scriptedServer(squareRootReplies);
    const result = await ask([...model.options, squareRoot], { terminal: "stdout" });
    expect(stripVTControlCharacters(result.stdout)).toMatch(
      /Action: calculator\n.*\nAnswer: The square root of 25 is 5.\n2 steps · .* tokens\n$/s,
    );
    expect(result.stderr).toMatch(/^Thread \S+\n$/);
  });

  test("shows the answer without the steps with --show answer, and the sources that it cites", async () => {
    const cites = " I now know\nFinal Answer: Geng holds it [1].";
    await using model = await scriptedServer([" I search\nAction: document_search\nAction Input: record", cites]);
    const options = [...model.options, "--tools", "documents", "--show", "answer"];
    const { stdout } = await ask([...options, "Who holds the record?"], { terminal: "stdout" });
    expect(stripVTControlCharacters(stdout)).toMatch(
      /^Geng holds it \[1\]\.\n\[1\] Rubik's Cube, rubiks-cube\.md > .*\n2 steps · .* tokens\n$/,
    );
  });

  test("shows the model's thinking only with --show thinking, and never on stdout", async () => {
    const [step = "", answer = ""] = squareRootReplies.map((reply) => String(reply));
    const script = [step, answer].map((text) => ({ text, reasoning: { reasoning: `Hm, ${text.length}.` } }));
    await using model = await scriptedServer([...script, ...script]);
    const asked = [...model.options, squareRoot];
    const thinking = await ask([...asked, "--show", "thinking"]);
    expect(thinking.stdout).toBe("The square root of 25 is 5.\n");
    const lines = thinking.stderr.split("\n").filter((line) => /^(?:Thinking|Thought|Observation)/.test(line));
    expect(lines).toEqual([
      `Thinking: Hm, ${step.length}.`,
      "Thought: I need to use a calculator for this",
      "Observation: 5",
      `Thinking: Hm, ${answer.length}.`,
    ]);
    expect((await ask(asked)).stderr).not.toContain("Hm");
  });

  test("ends with 1 when a limit stops it, with the best answer on stdout, or else a sentence on stderr", async () => {
    const call = squareRootReplies[0] ?? "";
    await using model = await scriptedServer([call, call, "About 5.", call, call, call]);
    const limited = [...model.options, "--max-steps", "1", squareRoot];
    const answered = await ask(limited);
    expect(answered).toMatchObject({ exitCode: 1, stdout: "About 5.\n" });
    expect(answered.stderr).toContain("The turn ended at a limit: the question was not settled after 1 step");
    const result = await ask(limited);
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toContain("Stopped: I stopped without an answer");
  });
});
