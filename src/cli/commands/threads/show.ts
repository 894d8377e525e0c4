import { writeFile } from "node:fs/promises";
import { Option } from "@commander-js/extra-typings";
import { codeOf, messageOf } from "../../../base/message-of.js";
import { inOneLine, shorten } from "../../../base/shorten.js";
import type { Decided } from "../../../core/state/approval.js";
import type { ThreadSummary } from "../../../threads/checkpoints/thread-row.js";
import type { HistoryBranch, HistoryStep, HistoryTurn } from "../../../threads/lookup/history.js";
import type { ThreadTurn, TurnStep } from "../../../threads/lookup/turns.js";
import type { Threads } from "../../../threads/open.js";
import type { Io, Output } from "../../io.js";
import { UsageError } from "../../program/exit-codes.js";
import { databaseOption, type End, type NewCommand, type PrintOptions } from "../../program/options.js";
import { type Colours, coloursFor } from "../../screen/colours.js";
import type { ConversationEvent } from "../../screen/conversation.js";
import { jsonLine, labelled, minuteOf, screenName, screenText } from "../../screen/screen-text.js";
import { promptLines, replyLines, StepLines } from "../../screen/step-lines.js";
import { findThread, openKeptThreads } from "../../session/kept-threads.js";

export function declare(command: NewCommand, io: Io, _end: End) {
  return command
    .argument("<id>", "the thread's id")
    .addOption(databaseOption())
    .option("--json", "print one JSON object per line for each step")
    .option("-q, --quiet", "print only questions and answers")
    .addOption(
      new Option("--prompts", "print the prompt of each model call instead, rebuilt from the thread").conflicts(
        "quiet",
      ),
    )
    .addOption(
      new Option(
        "--html <file>",
        "write a page to a new file instead, or to stdout with -: steps, prompts, times and the way through the graph",
      ).conflicts(["json", "quiet", "prompts"]),
    )
    .action((id, options) => showThread(id, options, io));
}

interface ShowOptions extends PrintOptions {
  readonly quiet?: boolean;
  readonly prompts?: boolean;
  readonly html?: string;
}

/** A thread that is shown, and how. */
interface Shown {
  readonly threads: Threads;
  readonly thread: ThreadSummary;
  readonly json: boolean | undefined;
  readonly colours: Colours;
  readonly stdout: Output;
}

async function showThread(typed: string, { db, json, quiet, prompts, html }: ShowOptions, io: Io): Promise<void> {
  await using threads = await openKeptThreads(db, io);
  const thread = await findThread(threads, typed);
  const shown = { threads, thread, json, colours: coloursFor(io.stdout, io.env), stdout: io.stdout };
  if (html !== undefined) await writePage(threads, thread, html, io);
  else if (prompts) await showPrompts(shown);
  else {
    await showConversation(shown, quiet);
    if (!quiet) await showHistory(shown);
  }
}

async function writePage(threads: Threads, thread: ThreadSummary, file: string, { stdout, stderr }: Io): Promise<void> {
  const [{ readThread }, { threadPage }] = await Promise.all([
    import("../../page/read-thread.js"),
    import("../../page/thread-page.js"),
  ]);
  const page = threadPage(thread, await readThread(threads, thread));
  if (file === "-") {
    stdout.write(page);
    return;
  }
  await writeNewFile(file, page);
  stderr.write(`Written to ${screenName(file)}\n`);
}

/**
 * Writes a new file, which only its owner can read.
 *
 * @throws UsageError if there is a file with this name, or the file cannot be written.
 */
async function writeNewFile(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: "wx", mode: 0o600 }).catch((error: unknown) => {
    const reason = reasons[codeOf(error)] ?? messageOf(error);
    throw new UsageError(`The file "${path}" was not written: ${reason}.`, { cause: error });
  });
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: "it exists already. Give the name of a new file",
  ENOENT: "its folder does not exist",
};

/** Prints the conversation of a thread, as far as it is kept. Needs no agent. */
async function showConversation({ threads, thread: { id }, json, colours, stdout }: Shown, quiet = false) {
  const { conversationOf } = await import("../../screen/conversation.js");
  const steps = new StepLines(colours);
  for (const event of await conversationOf(threads, id)) {
    const { type, ...rest } = event;
    if (json) stdout.write(jsonLine({ type, thread: id, ...rest }));
    else if (isStep(event)) stdout.write(quiet ? "" : steps.of(event));
    else stdout.write(spokenLine(event, colours));
  }
}

type Step = Extract<ConversationEvent, { type: "reasoning" | "thought" | "action" | "observation" }>;

function isStep(event: ConversationEvent): event is Step {
  return event.type !== "question" && event.type !== "answer";
}

function spokenLine(event: Exclude<ConversationEvent, Step>, { bold, green }: Colours): string {
  if (event.type === "question") return labelled(bold(">"), event.asked);
  return `${bold(green("Answer:"))} ${screenText(event.text)}\n\n`;
}

/** Prints the prompts of a thread, each with its reply. A note says which may not be what was sent. */
async function showPrompts({ threads, thread, json, colours, stdout }: Shown): Promise<void> {
  const [{ readingAgent }, { promptsOf }, { promptData }] = await Promise.all([
    import("../../page/read-thread.js"),
    import("../../../agent/prompts/prompt-of.js"),
    import("../../../core/model/prompt-events.js"),
  ]);
  const agent = readingAgent(threads, thread);
  for await (const { turn, text, toolCalls, exact, differs, ...prompt } of promptsOf(agent, thread.id)) {
    const shown = { ...prompt, ...promptData(prompt) };
    if (json) {
      stdout.write(jsonLine({ type: "prompt", thread: thread.id, turn, ...shown, text, toolCalls, exact, differs }));
      continue;
    }
    const note = exact ? "as it was sent" : `not surely as it was sent: ${differs}`;
    stdout.write(`${colours.dim(`Turn ${turn}, ${note}`)}\n`);
    if (shown.messages.length > 0) stdout.write(promptLines({ ...shown, stop: [...shown.stop] }, colours));
    stdout.write(replyLines({ text, toolCalls }, colours));
  }
}

/** Prints the turns and steps of a thread with their times and the ids of their checkpoints, and the branches that it left. */
async function showHistory({ threads, thread: { id: thread }, json, colours, stdout }: Shown): Promise<void> {
  const { turns, branches } = await threads.history(thread);
  const timed = new Map((await allTurns(threads, thread)).map((turn) => [turn.end, turn]));
  if (!json) stdout.write(`${colours.bold("Checkpoints")}\n`);
  for (const turn of turns) {
    const { steps = [] } = timed.get(turn.steps.at(-1)?.checkpoint ?? "") ?? {};
    if (!json) stdout.write(turnLines(turn, colours) + steps.map((step) => timeLines(step, colours)).join(""));
    else {
      for (const step of turn.steps) stdout.write(jsonLine({ type: "checkpoint", thread, turn: turn.number, ...step }));
      for (const step of steps) stdout.write(jsonLine({ type: "step", thread, turn: turn.number, ...step }));
    }
  }
  for (const branch of branches) {
    stdout.write(json ? jsonLine({ type: "branch", thread, ...branch }) : branchLine(branch));
  }
  const { readOutside } = await import("../../../core/state/outside.js");
  const tuple = await threads.checkpointer.getTuple({ configurable: { thread_id: thread } });
  for (const { source, since } of readOutside(tuple?.checkpoint.channel_values.outside)) {
    const line = `Text from outside, of ${screenText(source)} (since ${minuteOf(since)})\n`;
    stdout.write(json ? jsonLine({ type: "outside", thread, source, since }) : line);
  }
}

/** Reads the turns of a thread that are kept, page by page. */
async function allTurns(threads: Threads, thread: string): Promise<ThreadTurn[]> {
  const read: ThreadTurn[] = [];
  let before: string | undefined;
  do {
    const { turns, hasOlder } = await threads.turns(thread, { before });
    read.push(...turns);
    before = hasOlder ? turns[0]?.begin : undefined;
  } while (before !== undefined);
  return read;
}

/** Writes when a step asked a model, called its tools and waited for people, and how long that took. */
function timeLines({ times, calls }: TurnStep, { dim }: Colours): string {
  const asked = times && [`  model asked at ${tookFrom(times)}${times.tries ? `, ${times.tries} tries` : ""}`];
  const called = calls.flatMap(({ tool, times, decided }) => [
    ...(decided ? [`  ${screenText(tool)} ${decidedText(decided)}`] : []),
    ...(times ? [`  ${screenText(tool)} called at ${tookFrom(times)}`] : []),
  ]);
  return [...(asked ?? []), ...called].map((line) => `${dim(line)}\n`).join("");
}

function tookFrom({ at, ms }: NonNullable<TurnStep["calls"][number]["times"]>): string {
  return ms === undefined ? minuteOf(at) : `${minuteOf(at)}, ${(ms / 1_000).toFixed(1)} s`;
}

function decidedText({ askedAt, at, by }: Decided): string {
  return `decided at ${minuteOf(at)}${by ? ` by ${screenText(by)}` : ""}${askedAt ? `, asked at ${minuteOf(askedAt)}` : ""}`;
}

function turnLines({ number, asked = "", steps, stopReason }: HistoryTurn, colours: Colours): string {
  const [first] = steps;
  const title = [`Turn ${number}`, ...(first ? [minuteOf(first.at)] : []), stopReason ?? "not finished"].join(", ");
  return `${title}${asked ? `: ${screenText(asked)}` : ""}\n${steps.map((step) => stepLine(step, colours)).join("")}`;
}

function stepLine({ checkpoint, source, next, tools, repaired, undone = [] }: HistoryStep, { dim }: Colours): string {
  const then = next.length === 0 ? "end of the turn" : `next ${[...next, ...tools].map(screenText).join(" ")}`;
  const notes = [
    ...(source === "update" || source === "fork" ? [source] : []),
    ...(repaired ? ["repaired: later checkpoints could not be read"] : []),
    ...undone.map(({ tool }) => `a turn was undone that had called ${screenText(tool)}`),
  ];
  return `  ${screenName(checkpoint)}  ${dim(then)}${notes.length > 0 ? `  [${notes.join(", ")}]` : ""}\n`;
}

function branchLine({ checkpoint, turn, answer = "" }: HistoryBranch): string {
  return `Branch that was left in turn ${turn}\n  ${screenName(checkpoint)}${answer ? `  ${screenText(shorten(inOneLine(answer), 59))}` : ""}\n`;
}
