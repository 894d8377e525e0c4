import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { modelAndDatabase, squareRoot, squareRootReplies, twoCalls } from "../scripted-server.js";
import { atTerminal, chatWith } from "../terminal.js";
import { naming } from "../waiting-id.js";

const always = ["--approve", "always"];
const decisions = "calculator: approve, edit, refuse, answer? ";
const answered = "Answer: The square root of 25 is 5.\n";

/** Starts a chat that asks for a decision about the calculator. */
async function askingChat(env?: Readonly<Record<string, string>>) {
  const chat = await chatWith(squareRootReplies, always, env);
  await chat.enter(squareRoot, "Waiting: calculator ");
  return chat;
}

/** Types a decision when it is asked for, and waits for what it shows. */
async function decide(
  chat: Pick<ReturnType<typeof atTerminal>, "type" | "sees">,
  line: string,
  ...shown: readonly string[]
): Promise<void> {
  await chat.type(`${line}\r`, decisions);
  for (const text of shown) await chat.sees(text);
}

/** The last observation that the model was shown. */
const observed = ({ model }: Awaited<ReturnType<typeof chatWith>>) =>
  model.server.prompts().at(-1)?.split("\nObservation: ").at(-1)?.split("\nThought:")[0];

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
  ] as const)("is typed as %j", async ([[word, ...rest], shown]) => {
    await using chat = await askingChat();
    await chat.type(`${word}\r`, decisions);
    for (const [prompt, line] of rest) await chat.type(`${line}\r`, prompt);
    await chat.sees(answered);
    expect(await chat.leave()).toBe(0);
    expect(observed(chat)).toMatch(shown);
  });

  test.for([
    ["a", "Type one of these words, or its beginning: approve, edit, refuse, answer."],
    ["", "Type one of these words"],
    ["approve it", '"approve" takes no words, but there are some: it.'],
    ["edit 12", "The new input is no JSON object."],
    ['edit {"expression": ["1"]}', 'Not taken: The new input does not fit calculator. "expression"'],
  ] as const)("is asked for again after %j", async ([typed, sentence]) => {
    await using chat = await askingChat();
    await decide(chat, typed, sentence);
    await decide(chat, "approve", answered);
    await chat.leave();
  });

  test("is made for each call, and is not read from a line that was pasted before", async () => {
    const replies = [twoCalls, { text: "Two and four." }];
    await using chat = await chatWith(replies, [...always, "--protocol", "tool-calling"]);
    await chat.enter("What are 1+1 and 2+2?\ryes");
    await chat.type("approve\r", "calculator (1 of 2): approve, edit, refuse, answer? ");
    await chat.type("refuse\r", "calculator (2 of 2): approve, edit, refuse, answer? ");
    await chat.type("\r", "Why?");
    await chat.sees("Decision: approve calculator");
    await chat.sees("Answer: Two and four.\n");
    expect(await chat.leave()).toBe(0);
  });

  test("is the answer to a model that asks, without --approve", async () => {
    const replies = [" I must ask\nAction: ask_human\nAction Input: For when?", " I know\nFinal Answer: Booked."];
    await using chat = await chatWith(replies, ["--tools", "ask_human"]);
    await chat.enter("Book a table.", 'Waiting: ask_human {"question":"For when?"}');
    await chat.type("a\r", "ask_human: answer, refuse? ");
    await chat.type("Tonight at 8.\r", "The answer in place of the result: ");
    await chat.sees("Answer: Booked.");
    await chat.leave();
    expect(observed(chat)).toBe("Tonight at 8.");
  });

  test.for([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("is left open by %s, and asked for when the chat is opened again", async ([, key = ""]) => {
    await using at = await modelAndDatabase(squareRootReplies);
    const options = [...at.model.options, ...always, ...at.db, "-t", "sums"];
    const chat = atTerminal(["chat", ...options]);
    await chat.type(`${squareRoot}\r`);
    await chat.type(key, decisions);
    expect(await chat.ended).toBe(3);
    expect(chat.stdin.isRaw).toBe(false);
    expect(stripVTControlCharacters(chat.io.stderr.text)).toMatch(
      /The thread waits for a person\. Decide with:\sglassloop threads decide sums --db \S+ --model scripted .*--approve always\n$/,
    );
    const lacking = atTerminal(["chat", ...options, "--tools", "none"]);
    expect(await lacking.ended).toBe(2);
    const again = atTerminal(["chat", ...options]);
    await again.sees("Waiting: calculator ");
    await decide(again, "approve", answered);
    expect(await again.leave()).toBe(0);
    expect(at.model.server.requests).toHaveLength(2);
  });

  test("that another process made meanwhile is reported, and is not made twice", async () => {
    await using at = await modelAndDatabase(squareRootReplies);
    const options = [...at.model.options, ...always];
    const ask = atTerminal(["ask", ...options, ...at.db, "-t", "sums", squareRoot]);
    await ask.sees(decisions);
    const named = naming((await at.run(["threads", "list", "--waiting"])).stdout);
    expect(await at.run(["threads", "decide", "sums", "approve", ...named, ...options])).toMatchObject({ exitCode: 0 });
    ask.stdin.write("refuse No.\r");
    expect(await ask.ended).toBe(1);
    expect(stripVTControlCharacters(ask.io.stderr.text)).toContain(
      'error: Another process has gone on with the thread "sums" meanwhile, so nothing was done here.',
    );
    expect(at.model.server.requests).toHaveLength(2);
  });
});

test("Ask and threads decide ask at a terminal, too", async () => {
  await using at = await modelAndDatabase([squareRootReplies[0] ?? "", ...squareRootReplies]);
  const options = [...at.model.options, ...always, ...at.db];
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

test("An edit begins with the input, and asks again if nothing was changed or it is no JSON", async () => {
  await using chat = await askingChat();
  await decide(chat, "edit");
  await chat.type("\r", 'The new input: { "expression": "25^(1/2)" }');
  await chat.sees("Nothing was changed.");
  await decide(chat, "edit");
  await chat.type("\u007f\r", 'The new input: { "expression": "25^(1/2)" }');
  await chat.sees("The new input is no JSON object.");
  await decide(chat, "edit");
  await chat.type("\u0001\u000b", 'The new input: { "expression": "25^(1/2)" }');
  chat.stdin.write('{"expression": "6*7"}\r');
  await chat.sees(answered);
  await chat.leave();
  expect(observed(chat)).toMatch(/42\nYou called .*A person changed the input to \{"expression":"6\*7"\}/);
});
