import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { editorThat } from "../editor.js";
import { built, workingFolder } from "../run-cli.js";
import { hasTmux, inTmux } from "../screen-of-tmux.js";
import { scriptedServer } from "../scripted-server.js";
import { chatWith } from "../terminal.js";

const inMemory = ["--db", "memory:"];
const final = (answer: string) => ` Easy.\nFinal Answer: ${answer}`;

/** Starts a chat in which one question was answered. */
async function answeredChat(env: Readonly<Record<string, string>>) {
  const chat = await chatWith([final("Four."), final("Six.")], [], env);
  await chat.enter("What is two\\\rplus two?", "Answer: Four.");
  return chat;
}

describe("/edit in a chat", () => {
  test("opens the last question in the editor, in a file for the owner alone, which is removed", async () => {
    await using folder = await workingFolder();
    const notes = join(folder.path, "notes.json");
    const editor = await editorThat(`
      const text = readFileSync(file, "utf8");
      writeFileSync(${JSON.stringify(notes)}, JSON.stringify({ text, mode: (statSync(file).mode & 0o777).toString(8), file }));
      writeFileSync(file, text.replaceAll("two", "three"));`);
    await using chat = await answeredChat({ EDITOR: "false", VISUAL: editor });
    await chat.enter("/edit", "> What is three\n  plus three?\n", "Answer: Six.");
    expect(await chat.leave()).toBe(0);
    const { file, ...noted } = JSON.parse(await readFile(notes, "utf8"));
    expect(noted).toEqual({ text: "What is two\nplus two?\n", mode: "600" });
    expect(existsSync(dirname(file))).toBe(false);
    expect(chat.model.server.prompts()[1]).toContain("Question: What is three\nplus three?\n");
    expect(chat.model.server.prompts()[1]).not.toContain("two");
  });

  test.for([
    ["leaves the text as it was", ";", "The question was not changed, so it is not asked again."],
    ["leaves nothing", 'writeFileSync(file, " \\n");', "The question was not changed, so it is not asked again."],
    ["fails", 'writeFileSync(file, "Who?"); process.exit(3);', "The editor ended with 3, so nothing was changed:"],
    ["removes the file", "rmSync(file);", "ENOENT"],
  ] as const)("asks nothing if the editor %s, and removes the file", async ([_what, code, told]) => {
    await using folder = await workingFolder();
    const note = join(folder.path, "note");
    const editor = await editorThat(`writeFileSync(${JSON.stringify(note)}, file); ${code}`);
    await using chat = await answeredChat({ EDITOR: editor });
    await chat.enter("/edit");
    await chat.enter("/edit What is three plus three?", "Answer: Six.");
    await chat.leave();
    expect(stripVTControlCharacters(chat.io.stdout.text + chat.io.stderr.text)).toContain(told);
    expect(existsSync(dirname(await readFile(note, "utf8")))).toBe(false);
    expect(chat.model.server.requests).toHaveLength(2);
  });
});

describe("a text in an editor", () => {
  test.for(["SIGHUP", "SIGTERM"] as const)("leaves no file if %s comes several times", async (signal) => {
    await using folder = await workingFolder();
    const editor = await editorThat('process.stdout.write("Editing."); process.stdin.resume();');
    const code = `import { editText } from ${JSON.stringify(built("deciding/edit-text.js"))};
      await editText("Who?", "question.md", process.env.EDITOR, process.env);`;
    const env = { ...process.env, EDITOR: editor, TMPDIR: folder.path };
    const child = spawn(process.execPath, ["--input-type=module", "--eval", code], { env, stdio: "pipe" });
    await once(child.stdout, "data");
    // Node ends the editor's stdin with the process, so this may come at once.
    const closed = once(child, "close");
    while (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await nextTurn();
    }
    expect(await closed).toEqual([null, signal]);
    expect(await folder.files()).toEqual([]);
  });
});

test("a text in an editor leaves no file if a signal comes when the editor has just ended", async () => {
  await using folder = await workingFolder();
  const code = `import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const { rmSync } = fs;
    fs.rmSync = (...parameters) => {
      process.kill(process.pid, "SIGHUP");
      rmSync(...parameters);
    };
    syncBuiltinESMExports();
    const { editText } = await import(${JSON.stringify(built("deciding/edit-text.js"))});
    await editText("Who?", "question.md", "true", process.env);`;
  const env = { ...process.env, TMPDIR: folder.path };
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], { env, stdio: "ignore" });
  await once(child, "close");
  expect(await folder.files()).toEqual([]);
});

/** Asks a question, and opens it in the editor when it is answered. */
async function editFirstQuestion(chat: Awaited<ReturnType<typeof inTmux>>): Promise<void> {
  await chat.sees(/Ask something/);
  await chat.enter("What is two plus two?", /Answer: Four\.[\s\S]*\n> *\n*$/);
  await chat.enter("/edit");
}

describe.runIf(hasTmux)("/edit in a real terminal", () => {
  test("gives the keys to the editor, and takes them back", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([final("Four."), final("Six.")]);
    const editor = await editorThat(`
      process.stdout.write("Another question? ");
      writeFileSync(file, readFileSync(0, "utf8"));`);
    const files = join(folder.path, "files");
    await mkdir(files);
    const env = { EDITOR: editor, TMPDIR: files };
    await using chat = await inTmux(["chat", ...model.options, ...inMemory], { folder: folder.path, env });
    await editFirstQuestion(chat);
    await chat.sees(/Another question\? *\n*$/);
    expect(await readdir(files)).toHaveLength(1);
    await chat.type("What is three plus three?");
    await chat.keys("Enter", "C-d");
    await chat.sees(/> What is three plus three\?\n[\s\S]*Answer: Six\.[\s\S]*\n> *\n*$/);
    expect(await readdir(files)).toEqual([]);
    await chat.keys("C-d");
    await chat.sees(/exit 0/);
  });

  test("leaves no file if the terminal is closed meanwhile", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([final("Four.")]);
    const editor = await editorThat('process.stdout.write("Editing. "); setInterval(() => {}, 1_000);');
    const files = join(folder.path, "files");
    await mkdir(files);
    {
      const env = { EDITOR: editor, TMPDIR: files };
      await using chat = await inTmux(["chat", ...model.options, ...inMemory], { folder: folder.path, env });
      await editFirstQuestion(chat);
      await chat.sees(/Editing\./);
      expect(await readdir(files)).toHaveLength(1);
    }
    await expect.poll(() => readdir(files)).toEqual([]);
  });
});
