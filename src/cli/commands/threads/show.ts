import { Option } from "@commander-js/extra-typings";
import type { ThreadSummary } from "../../../threads/checkpoints/thread-row.js";
import type { Threads } from "../../../threads/open.js";
import type { Io } from "../../io.js";
import { databaseOption } from "../../program/agent-command.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { type End, programCommand } from "../../program/program-command.js";
import { type Colours, coloursFor } from "../../screen/colours.js";
import type { ConversationEvent } from "../../screen/conversation.js";
import { labelled, screenName, screenText } from "../../screen/screen-text.js";
import { showHistory } from "../../screen/show-history.js";
import { StepLines } from "../../screen/step-lines.js";
import { conversationOf } from "../../session/conversation-of.js";
import { findThread } from "../../session/find-thread.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";
import { showPrompts } from "./show-prompts.js";

export function showCommand(io: Io, end: End) {
  return programCommand("show", io)
    .description("Print the conversation of a thread, and its turns and steps with the ids of their checkpoints.")
    .argument("<id>", "the thread's id")
    .addOption(databaseOption())
    .option("--json", "print one JSON object per line for each step")
    .option("-q, --quiet", "print only questions and answers")
    .addOption(
      new Option(
        "--prompts",
        "print the prompt of each model call instead, made again from what the thread keeps",
      ).conflicts("quiet"),
    )
    .addOption(
      new Option(
        "--html <file>",
        "write a page to a new file instead, or to stdout with -: steps, prompts, times and the way through the graph",
      ).conflicts(["json", "quiet", "prompts"]),
    )
    .action(async (id, options) => end(await showThread(id, options, io)));
}

interface ShowOptions {
  readonly db?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly prompts?: boolean;
  readonly html?: string;
}

/**
 * Prints the conversation of a thread and its checkpoints, as far as they are kept. No agent is needed to read them.
 */
async function showThread(typed: string, { db, json, quiet, prompts, html }: ShowOptions, io: Io): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  const found = await findThread(threads, typed);
  const { id, graph } = found;
  if (html !== undefined) return await writePage(threads, found, html, io);
  if (prompts) return await showPrompts(threads, { id, graph }, { json }, io);
  const events = await conversationOf(threads, id);
  const colours = coloursFor(io.stdout, io.env);
  const steps = new StepLines(colours);
  for (const event of events) {
    if (json) io.stdout.write(jsonLine(id, event));
    else if (isStep(event)) io.stdout.write(quiet ? "" : steps.of(event));
    else io.stdout.write(spokenLine(event, colours));
  }
  if (!quiet) showHistory(id, await threads.history(id), { json }, io);
  return exitCodes.answered;
}

async function writePage(threads: Threads, thread: ThreadSummary, file: string, io: Io): Promise<ExitCode> {
  const [{ readThread }, { threadPage }, { writeNewFile }] = await Promise.all([
    import("../../page/read-thread.js"),
    import("../../page/thread-page.js"),
    import("../../session/write-new-file.js"),
  ]);
  const page = threadPage(thread, await readThread(threads, thread));
  if (file === "-") io.stdout.write(page);
  else {
    await writeNewFile(file, page);
    io.stderr.write(`Written to ${screenName(file)}\n`);
  }
  return exitCodes.answered;
}

function jsonLine(thread: string, { type, ...rest }: ConversationEvent): string {
  return `${JSON.stringify({ type, thread, ...rest })}\n`;
}

type Step = Extract<ConversationEvent, { type: "thought" | "action" | "observation" }>;

function isStep(event: ConversationEvent): event is Step {
  return event.type !== "question" && event.type !== "answer";
}

function spokenLine(event: Exclude<ConversationEvent, Step>, { bold, green }: Colours): string {
  if (event.type === "question") return labelled(bold(">"), event.asked);
  return `${bold(green("Answer:"))} ${screenText(event.text)}\n\n`;
}
