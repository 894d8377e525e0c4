import type { Io } from "../io.js";
import { type AgentOptions, type End, type NewCommand, several, withAgentOptions } from "../program/options.js";

export function declare(command: NewCommand, io: Io, end: End) {
  return withAgentOptions(command)
    .argument("[question...]", 'the question; the text of a pipe follows it, or stands where "-" is')
    .option(
      "-f, --file <path>",
      "a text, picture, recording or PDF that goes with the question; several times for several",
      several,
    )
    .addHelpText("after", examples)
    .action(async (words, options) => end(await ask(words, options, io)));
}

const examples = `
Examples:
  glassloop ask "What is 15% of 240?"
  cat notes.md | glassloop ask "Summarise this"
  git diff | glassloop ask "Write a commit message for" - "in one line"
  glassloop ask --file notes.md --file plan.md "What is missing in the plan?"
  glassloop ask --file plan.png "What is wrong in this drawing?"
  glassloop ask --docs . --retrieval --embeddings openai:text-embedding-3-small "What is to be bought?"`;

type AskOptions = AgentOptions & { readonly file?: readonly string[] };

/** Asks one question, and prints the answer to stdout. The agent is loaded only now. */
async function ask(words: readonly string[], options: AskOptions, io: Io) {
  const { beginNotices, openSession, readQuestion, runTurn, tellIfStopped } = await import("../session/index.js");
  const question = await readQuestion(words, options.file ?? [], io);
  await using session = await openSession(options, io);
  beginNotices(session);
  const exitCode = await runTurn(session, question);
  await tellIfStopped(exitCode, session);
  return exitCode;
}
