import { Argument } from "@commander-js/extra-typings";
import { NotWaitingError } from "../../../base/errors.js";
import { type DecisionType, decisionTypes } from "../../../core/state/decision-types.js";
import type { ThreadStatus } from "../../../threads/checkpoints/thread-row.js";
import type { Io } from "../../io.js";
import { type AgentOptions, type End, type NewCommand, withAgentOptions } from "../../program/options.js";

export function declare(command: NewCommand, io: Io, end: End) {
  return withAgentOptions(command)
    .argument("<id>", "the thread's id")
    .addArgument(
      new Argument("[decision]", "the decision; asked for in a terminal, or read as JSON from a pipe").choices(
        decisionTypes,
      ),
    )
    .argument("[text...]", "the reason of refuse, the input of edit as JSON, or the text of answer")
    .option("--action <id>", 'the call to decide about, as "threads list --waiting" shows it; needed with a decision')
    .addHelpText("after", examples)
    .action(async (id, decision, words, options) =>
      end(await decide({ id, decision, text: words.join(" ").trim() }, options, io)),
    );
}

const examples = `
Examples:
  glassloop threads decide demo approve --action 1a2b3c-1
  glassloop threads decide demo refuse "The order is too old." --action 1a2b3c-1
  glassloop threads decide demo edit '{"expression": "2 + 2"}' --action 1a2b3c-1
  glassloop threads decide demo answer "Tonight at 8." --action 1a2b3c-1
  echo '{"1a2b3c-1": "approve", "1a2b3c-2": {"type": "refuse"}}' | glassloop threads decide demo
"glassloop threads list --waiting" shows the calls. Without a decision you are asked at the terminal. Give the options with which its turn began, as its hint does.`;

/** The arguments of the command: the thread's id, and the words of a decision. */
interface DecideArguments {
  readonly id: string;
  readonly decision: DecisionType | undefined;
  readonly text: string;
}

/** Takes decisions about the calls that a thread waits with, goes on with its turn, and prints the answer. */
async function decide(words: DecideArguments, options: AgentOptions & { readonly action?: string }, io: Io) {
  const [{ openKeptSession, questionFor, runTurn, tellIfStopped, threadCommand }, { givenAnswer }] = await Promise.all([
    import("../../session/index.js"),
    import("../../deciding/given-answer.js"),
  ]);
  await using session = await openKeptSession(words.id, options, io);
  const { id, status, lastQuestion: asked = "" } = session.found;
  const start = status === "waiting" ? await questionFor(session) : undefined;
  if (start === undefined) {
    const canGoOn = status === "failed" || status === "interrupted";
    throw new NotWaitingError(
      id,
      `${reasons[status]}${canGoOn ? `. Resume it with: ${threadCommand("resume", session)}` : ""}`,
    );
  }
  const command = (more: readonly string[]) => threadCommand("decide", session, more);
  const answerer = await givenAnswer(start, { ...words, action: options.action, command }, io);
  const exitCode = await runTurn(session, { asked, start, answerer });
  await tellIfStopped(exitCode, session);
  return exitCode;
}

const reasons: Readonly<Record<ThreadStatus, string>> = {
  idle: "its last turn has ended",
  running: "a run uses it now, perhaps because somebody has decided",
  waiting: "somebody has just decided",
  failed: "its last turn failed",
  interrupted: "its last turn was stopped",
};
