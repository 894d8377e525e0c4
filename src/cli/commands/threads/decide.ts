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
    .option(
      "--action <id>",
      'the call to decide about, as "threads list --waiting" shows it; needed without a terminal',
    )
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
"glassloop threads list --waiting" shows the calls. Without --action you are asked for a yes at the terminal. Give the options with which its turn began, as its hint does.`;

/** The arguments of the command: the thread's id, and the words of a decision. */
interface DecideArguments {
  readonly id: string;
  readonly decision: DecisionType | undefined;
  readonly text: string;
}

/** Takes decisions about the calls that a thread waits with, goes on with its turn, and prints the answer. */
async function decide(words: DecideArguments, options: AgentOptions & { readonly action?: string }, io: Io) {
  const [{ onKeptThread, openSession, questionFor, runOnlyTurn, tellWithheld, threadCommand }, { givenAnswer }] =
    await Promise.all([import("../../session/index.js"), import("../../deciding/given-answer.js")]);
  return onKeptThread(words.id, options, io, async (place) => {
    await using session = await openSession(place, options, io);
    tellWithheld(session.withheld, io);
    const { id, status, lastQuestion: asked = "" } = place.found;
    const start = await questionFor(session);
    if (start === undefined) {
      const canGoOn = status === "failed" || status === "interrupted";
      const way = canGoOn ? `. Resume it with: ${threadCommand("resume", session, io)}` : "";
      throw new NotWaitingError(id, `${reasons[status]}${way}`);
    }
    const command = (more: readonly string[]) => threadCommand("decide", session, io, more);
    const answererOf = await givenAnswer(start, { ...words, action: options.action, command }, io);
    return await runOnlyTurn(session, { asked, start, answererOf }, options, io);
  });
}

const reasons: Readonly<Record<ThreadStatus, string>> = {
  idle: "its last turn has ended",
  running: "a run uses it now, perhaps because somebody has decided",
  waiting: "somebody has just decided",
  failed: "its last turn failed",
  interrupted: "its last turn was stopped",
};
