import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { startLocalServer } from "../../helpers/local-server.js";
import { workingFolder } from "../run-cli.js";
import { hasTmux, inTmux } from "../screen-of-tmux.js";
import { scriptedServer } from "../scripted-server.js";

const final = (answer: string) => ` Easy.\nFinal Answer: ${answer}`;
const begun = /Ask something\. \/help shows/;
const atPrompt = /\n> *\n*$/;

/** Chats in a real terminal. Without tmux (Debian: `apt install tmux`) this is left out. */
describe.runIf(hasTmux)("a chat in a terminal", () => {
  test("takes a pasted text whole, and recalls the lines of earlier chats", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([final("**Four** and 世界 and عربي."), final("Again.")]);
    const options = ["chat", ...model.options, "--db", "memory:"];
    {
      await using chat = await inTmux(options, { folder: folder.path });
      await chat.sees(begun);
      await chat.enter("/help");
      await chat.sees(/\/regenerate +answer the last question again/);
      await chat.paste("One 世界\n\ttwo عربي\nthree?");
      await chat.keys("Enter");
      await chat.sees(/Answer: \*\*Four\*\* and 世界 and عربي\./);
      await chat.sees(atPrompt);
      await chat.enter("/exit", /exit 0/);
    }
    expect(model.server.prompts()[0]).toContain("One 世界\n\ttwo عربي\nthree?");
    await using chat = await inTmux(options, { folder: folder.path, columns: 40, env: { NO_COLOR: "1" } });
    await chat.sees(begun);
    await chat.keys("Up", "Up");
    await chat.sees(/> three\?/);
    await chat.resize(60);
    await chat.keys("Enter");
    await chat.sees(/Answer: Again\./);
    await chat.sees(atPrompt);
    await chat.keys("C-d");
    await chat.sees(/exit 0/);
    expect(model.server.prompts()[1]).toContain("three?");
    expect(await readFile(`${folder.path}/.local/state/glassloop/history`, "utf8")).toContain("/exit");
  });

  test("takes a text whole that is pasted during an answer, or after Ctrl-Z", async () => {
    await using folder = await workingFolder();
    const gate = new EventTarget();
    const held = { text: final("Four."), hold: once(gate, "pasted") };
    await using model = await scriptedServer([held, "A, b or c?", final("All three."), "Or d?", final("Or four.")]);
    await using chat = await inTmux(["chat", ...model.options, "--db", "memory:"], { folder: folder.path });
    await chat.sees(begun);
    await chat.enter("What is two plus two?");
    await expect.poll(() => model.server.requests.length).toBe(1);
    await chat.paste("Is it a\n\tor b\nor c?");
    await chat.keys("Enter");
    gate.dispatchEvent(new Event("pasted"));
    await chat.sees(/Answer: Four\.[\s\S]*Answer: All three\.[\s\S]*\n> *\n*$/);
    await chat.keys("C-z");
    await chat.sees(/Stopped/);
    await chat.enter("fg", /fg\n[\s\S]*\n> *\n*$/);
    await chat.type("Or: ");
    await chat.sees(/> Or: *\n*$/);
    await chat.paste("d\nor e?");
    await chat.keys("Enter");
    await chat.sees(/Answer: Or four\./);
    await chat.sees(atPrompt);
    const [, whole, , wholeToo] = model.server.prompts();
    expect(whole).toContain("Is it a\n\tor b\nor c?");
    expect(wholeToo).toContain("Or: d\nor e?");
  });

  test("does not take a line that was typed before a question as the decision", async () => {
    await using folder = await workingFolder();
    const gate = new EventTarget();
    const held = { text: " I count.\nAction: calculator\nAction Input: 2 + 2", hold: once(gate, "typed") };
    await using model = await scriptedServer([held, final("Not counted.")]);
    const options = ["chat", ...model.options, "--db", "memory:", "--tools", "calculator", "--approve", "always"];
    await using chat = await inTmux(options, { folder: folder.path });
    await chat.sees(begun);
    await chat.enter("What is two plus two?");
    await expect.poll(() => model.server.requests.length).toBe(1);
    // The line is entered when the next spinner turns below it, which may have cleared the typed word before.
    await chat.enter("approve", /(?:thinking|writing)(?:approve)?\n\S+ (?:thinking|writing)/);
    await chat.type("approve");
    gate.dispatchEvent(new Event("typed"));
    await chat.sees(/What you typed before this question was left out\.\n.*calculator: approve, .*\? *\n*$/);
    await chat.enter("no", /Why\?/);
    await chat.enter("", /Answer: Not counted\.[\s\S]*\n> *\n*$/);
    expect(model.server.prompts()[1]).toContain("refused");
  });

  test("stops an answer with Ctrl-C and goes on, clears a line, and ends at Ctrl-C in an empty line", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([{ hang: true }, final("Four.")]);
    await using chat = await inTmux(["chat", ...model.options, "-t", "sums"], { folder: folder.path });
    await chat.sees(begun);
    await chat.enter("What is two plus two?", /thinking/);
    expect(await chat.cursor()).toBe("1");
    await expect.poll(() => model.server.requests.length).toBe(1);
    await chat.keys("C-c");
    await chat.sees(/Stopped\. The shown part is kept/);
    await chat.sees(atPrompt);
    await chat.type("What is three");
    await chat.keys("C-c");
    await chat.sees(/\n> *\n> *\n*$/);
    await chat.enter("Please, what is two plus two?", /Answer: Four\./, atPrompt);
    await chat.keys("C-c");
    await chat.sees(/exit 0/);
    expect(await chat.cursor()).toBe("1");
    await chat.enter("stty -a | grep -o ' icanon'; echo end", / icanon\nend/);
  });

  test("keeps the words that were shown before Ctrl-C, also after Ctrl-Z, and shows them to the model", async () => {
    await using folder = await workingFolder();
    const stalled = { text: final("One two three four five six seven."), stallAfterPieces: 7 };
    await using model = await scriptedServer([stalled, final("Five six.")]);
    const place = { folder: folder.path, columns: 40, env: { NO_COLOR: "1" } };
    await using chat = await inTmux(["chat", ...model.options, "-t", "sums"], place);
    await chat.sees(begun);
    await chat.enter("Please count.", /Answer: One two three/);
    await chat.keys("C-z");
    await chat.sees(/Answer: One two three[\s\S]*Stopped/);
    expect(await chat.cursor()).toBe("1");
    await chat.enter("fg");
    await expect.poll(() => chat.program()).not.toBe("bash");
    await chat.keys("C-c");
    await chat.sees(/Stopped\. The shown part is kept/);
    await chat.sees(atPrompt);
    expect(await chat.cursor()).toBe("1");
    await chat.enter("continue", /Answer: Five six\./, atPrompt);
    expect(model.server.prompts()[1]).toContain("Q: Please count.\nA: One two three");
  });

  test("stops with one Ctrl-C also while it waits for a retry, a tool or a rephrased question", async () => {
    await using folder = await workingFolder();
    await using search = await startLocalServer(() => {});
    await using model = await scriptedServer([
      { status: 429, retryAfterSeconds: 25 },
      " I look.\nAction: web_search\nAction Input: cats",
      final("Four."),
      { hang: true },
      "What is three plus three?",
      final("Six."),
    ]);
    const place = { folder: folder.path, columns: 40, env: { SEARXNG_URL: search.origin } };
    await using chat = await inTmux(["chat", ...model.options, "--tools", "web", "-t", "sums"], place);
    await chat.sees(begun);
    const stop = async (question: string) => {
      await chat.keys("C-c");
      await chat.sees(new RegExp(`> ${question}[\\s\\S]*Stopped\\. The shown part is kept[\\s\\S]*\\n> *\\n*$`));
    };
    await chat.enter("Is it late", /Note: second try in 25 s\./);
    await stop("Is it late");
    await chat.enter("Are cats big", /waiting for web_search/);
    await stop("Are cats big");
    await chat.enter("What is two plus two?", /Answer: Four\.[\s\S]*\n> *\n*$/);
    await chat.enter("And three plus three");
    await expect.poll(() => model.server.requests.length).toBe(4);
    await stop("And three plus three");
    await chat.enter("And what is it then?", /Answer: Six\.[\s\S]*\n> *\n*$/);
    expect(await chat.cursor()).toBe("1");
  });
});
