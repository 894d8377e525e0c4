import type { ThreadSummary } from "../../../threads/checkpoints/thread-row.js";
import type { Threads } from "../../../threads/open.js";
import type { Io } from "../../io.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { coloursFor } from "../../screen/colours.js";
import { promptLines, replyLines } from "../../screen/prompt-lines.js";

/** Prints the prompts of a thread, each with its reply. A note says which may not be what was sent. */
export async function showPrompts(
  threads: Threads,
  thread: Pick<ThreadSummary, "id" | "graph">,
  { json }: { readonly json?: boolean | undefined },
  { stdout, env }: Io,
): Promise<ExitCode> {
  const [{ readingAgent }, { promptsOf }, { promptData }] = await Promise.all([
    import("../../session/reading-agent.js"),
    import("../../../agent/prompt-of.js"),
    import("../../../core/model/prompt-events.js"),
  ]);
  const { id } = thread;
  const agent = readingAgent(threads, thread);
  const colours = coloursFor(stdout, env);
  for await (const { turn, text, toolCalls, exact, differs, ...prompt } of promptsOf(agent, id)) {
    const shown = { ...prompt, ...promptData(prompt) };
    if (json) {
      stdout.write(
        `${JSON.stringify({ type: "prompt", thread: id, turn, ...shown, text, toolCalls, exact, differs })}\n`,
      );
      continue;
    }
    stdout.write(
      `${colours.dim(`Turn ${turn}, ${exact ? "as it was sent" : `not surely as it was sent: ${differs}`}`)}\n`,
    );
    if (shown.messages.length > 0) stdout.write(promptLines({ ...shown, stop: [...shown.stop] }, colours));
    stdout.write(replyLines({ text, toolCalls }, colours));
  }
  return exitCodes.answered;
}
