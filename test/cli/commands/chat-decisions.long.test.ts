import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import type { ServerReply } from "../../helpers/openai-server.js";
import { editorThat } from "../editor.js";
import { runProgram } from "../fake-io.js";
import { workingFolder } from "../run-cli.js";
import { type ScriptedServer, scriptedServer, squareRoot, squareRootReplies } from "../scripted-server.js";
import { atTerminal } from "../terminal.js";
import { naming } from "../waiting-id.js";

const inMemory = ["--db", "memory:"];
const always = ["--approve", "always"];
const decisions = "calculator: approve, edit, refuse, answer? ";
const answered = "Answer: The square root of 25 is 5.\n";
const twoCalls: ServerReply = {
  toolCalls: [
    { name: "calculator", args: { expression: "1+1" } },
    { name: "calculator", args: { expression: "2+2" } },
  ],
};

/** Starts a chat that asks for a decision about the calculator. */
async function askingChat(model: ScriptedServer, more: readonly string[] = [], env: Record<string, string> = {}) {
  const chat = atTerminal(["chat", ...model.options, ...inMemory, ...always, ...more], env);
  await chat.type(`${squareRoot}\r`);
  await chat.sees("Waiting: calculator ");
  return chat;
}

/** The last observation that the model was shown. */
const observed = ({ server }: ScriptedServer) =>
  server.prompts().at(-1)?.split("\nObservation: ").at(-1)?.split("\nThought:")[0];

describe("a decision in a chat", () => {
  test.for([
    [["approve"], "5"],
    [["y"], "5"],
    [["refuse Too hard."], /A person refused this call of calculator: Too hard\./],
    [["no", ["Why?", "Because."]], /A person refused this call of calculator: Because\./],
    [["n", ["Why?", ""]], /A person refused this call of calculator\. The tool/],
    [["answer It is five."], "It is five."],
    [["an", ["in place of the result: ", ""], ["in place of the result: ", "Five."]], "Five."],
    [['edit {"expression": "6*7"}'], /42\nYou called .*A person changed the input to \{"expression":"6\*7"\}/],
    [["e", ["as JSON in one line: ", '{"expression": "6*7"}']], /42\nYou called .*A person changed the input to /],
  ] as const)("is typed as %j", async ([[word, ...rest], shown]) => {
    await using model = await scriptedServer(squareRootReplies);
    const chat = await askingChat(model);
    await chat.type(`${word}\r`, decisions);
    for (const [prompt, line] of rest) await chat.type(`${line}\r`, prompt);
    await chat.sees(answered);
    await chat.type("exit\r");
    expect(await chat.ended).toBe(0);
    expect(observed(model)).toMatch(shown);
  });

  test.for([
    ["a", "Type one of these words, or its beginning: approve, edit, refuse, answer."],
    ["", "Type one of these words"],
    ["perhaps", "Type one of these words"],
    ["approve it", '"approve" takes no words, but there are some: it.'],
    ["edit 12", "The new input is no JSON object."],
  ] as const)("is asked for again after %j", async ([typed, sentence]) => {
    await using model = await scriptedServer(squareRootReplies);
    const chat = await askingChat(model);
    await chat.type(`${typed}\r`, decisions);
    await chat.sees(sentence);
    await chat.type("approve\r", decisions);
    await chat.sees(answered);
    await chat.type("exit\r");
    await chat.ended;
  });

  test("is asked for again, with the reason, when the schema refuses the edit", async () => {
    await using model = await scriptedServer(squareRootReplies);
    const chat = await askingChat(model);
    await chat.type('edit {"expression": ["1"]}\r', decisions);
    await chat.sees('Not taken: The new input does not fit calculator. "expression"');
    await chat.type("approve\r", decisions);
    await chat.sees(answered);
    await chat.type("exit\r");
    await chat.ended;
  });

  test("is made for each call, and is not read from a line that was pasted before", async () => {
    await using model = await scriptedServer([twoCalls, { text: "Two and four." }, { text: "Yes is a word." }]);
    const options = [...model.options, ...inMemory, ...always, "--protocol", "tool-calling"];
    const chat = atTerminal(["chat", ...options]);
    await chat.type("What are 1+1 and 2+2?\ryes\r");
    await chat.type("approve\r", "calculator (1 of 2): approve, edit, refuse, answer? ");
    await chat.type("refuse\r", "calculator (2 of 2): approve, edit, refuse, answer? ");
    await chat.type("\r", "Why?");
    await chat.sees("Decision: approve calculator");
    await chat.sees("Answer: Two and four.\n");
    await chat.sees("Answer: Yes is a word.\n");
    await chat.type("exit\r");
    expect(await chat.ended).toBe(0);
  });

  test("is the answer to a model that asks, without --approve", async () => {
    await using model = await scriptedServer([
      " I must ask\nAction: ask_human\nAction Input: For when?",
      " I know\nFinal Answer: Booked.",
    ]);
    const chat = atTerminal(["chat", ...model.options, ...inMemory, "--tools", "ask_human"]);
    await chat.type("Book a table.\r");
    await chat.sees('Waiting: ask_human {"question":"For when?"}');
    await chat.type("a\r", "ask_human: answer, refuse? ");
    await chat.type("Tonight at 8.\r", "The answer in place of the result: ");
    await chat.sees("Answer: Booked.");
    await chat.type("exit\r");
    await chat.ended;
    expect(observed(model)).toBe("Tonight at 8.");
  });

  test.for([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("is left open by %s, and asked for when the chat is opened again", async ([, key = ""]) => {
    await using folder = await workingFolder();
    await using model = await scriptedServer(squareRootReplies);
    const options = [...model.options, ...always, "--db", `sqlite:${folder.path}/threads.db`, "-t", "sums"];
    const chat = atTerminal(["chat", ...options]);
    await chat.type(`${squareRoot}\r`);
    await chat.type(key, decisions);
    expect(await chat.ended).toBe(3);
    expect(chat.stdin.isRaw).toBe(false);
    expect(stripVTControlCharacters(chat.io.stderr.text)).toMatch(
      /The thread waits for a person\. Decide with:\sglassloop threads decide sums --db \S+ --base-url \S+ --tools calculator\n$/,
    );
    const lacking = atTerminal(["chat", ...options, "--tools", "none"]);
    expect(await lacking.ended).toBe(2);
    const again = atTerminal(["chat", ...options]);
    await again.sees("Waiting: calculator ");
    await again.type("approve\r", decisions);
    await again.sees(answered);
    await again.type("exit\r");
    expect(await again.ended).toBe(0);
    expect(model.server.requests).toHaveLength(2);
  });

  test("that another process made meanwhile is reported, and is not made twice", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer(squareRootReplies);
    const options = [...model.options, ...always, "--db", `sqlite:${folder.path}/threads.db`];
    const ask = atTerminal(["ask", ...options, "-t", "sums", squareRoot]);
    await ask.sees(decisions);
    const waiting = await runProgram(["threads", "waiting", "--db", `sqlite:${folder.path}/threads.db`]);
    const named = naming(waiting.stdout);
    expect(await runProgram(["threads", "decide", "sums", "approve", ...named, ...options])).toMatchObject({
      exitCode: 0,
    });
    ask.stdin.write("refuse No.\r");
    expect(await ask.ended).toBe(1);
    expect(stripVTControlCharacters(ask.io.stderr.text)).toContain(
      'error: Another process has gone on with the thread "sums" meanwhile, so nothing was done here.',
    );
    expect(model.server.requests).toHaveLength(2);
  });
});

test("Ask and threads decide ask at a terminal, too", async () => {
  await using folder = await workingFolder();
  await using model = await scriptedServer([squareRootReplies[0] ?? "", ...squareRootReplies]);
  const options = [...model.options, ...always, "--db", `sqlite:${folder.path}/threads.db`];
  const ask = atTerminal(["ask", ...options, "-t", "sums", squareRoot]);
  await ask.type("approve\r", decisions);
  await ask.type("\u0004", decisions);
  expect(await ask.ended).toBe(3);
  const decide = atTerminal(["threads", "decide", "sums", ...options]);
  await decide.sees("Waiting: calculator ");
  await decide.type("answer 5\r", decisions);
  await decide.sees("Answer: The square root of 25 is 5.");
  expect(await decide.ended).toBe(0);
});

describe("an edit in $EDITOR", () => {
  test("starts with the input as JSON, in a file for the owner alone, which is removed", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer(squareRootReplies);
    const notes = join(folder.path, "notes.json");
    const editor = await editorThat(`
      const text = readFileSync(file, "utf8");
      writeFileSync(${JSON.stringify(notes)}, JSON.stringify({ text, mode: (statSync(file).mode & 0o777).toString(8), file }));
      writeFileSync(file, text.replace("25^(1/2)", "6*7"));`);
    const chat = await askingChat(model, [], { EDITOR: "false", VISUAL: editor });
    await chat.type("edit\r", decisions);
    await chat.sees('Decision: edit calculator: {"expression":"6*7"}');
    await chat.sees(answered);
    await chat.type("exit\r");
    await chat.ended;
    const { file, ...noted } = JSON.parse(await readFile(notes, "utf8"));
    expect(noted).toEqual({ text: '{\n  "expression": "25^(1/2)"\n}\n', mode: "600" });
    expect(existsSync(dirname(file))).toBe(false);
  });

  test("that is unchanged, ends with an error or is no JSON runs nothing, and its text is kept", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer(squareRootReplies);
    const count = join(folder.path, "count");
    await writeFile(count, "0");
    const editor = await editorThat(`
      const count = Number(readFileSync(${JSON.stringify(count)}, "utf8"));
      writeFileSync(${JSON.stringify(count)}, String(count + 1));
      if (count === 1) process.exit(3);
      if (count === 2) writeFileSync(file, '{"expression": "6*7"');
      if (count === 3) writeFileSync(file, readFileSync(file, "utf8") + "}");`);
    const chat = await askingChat(model, [], { EDITOR: editor });
    await chat.type("edit\r", decisions);
    await chat.sees("Nothing was changed.");
    await chat.type("edit\r", decisions);
    await chat.sees("The editor ended with 3, so nothing was changed:");
    await chat.type("edit\r", decisions);
    await chat.sees("The new input is no JSON object.");
    await chat.type("edit\r", decisions);
    await chat.sees(answered);
    await chat.type("exit\r");
    await chat.ended;
    expect(observed(model)).toMatch(/42\nYou called .*A person changed the input to \{"expression":"6\*7"\}/);
  });
});
