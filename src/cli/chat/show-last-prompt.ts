import { promptOf } from "../../agent/prompt-of.js";
import { promptData } from "../../model/calling/tell-prompt.js";
import { UsageError } from "../program/exit-codes.js";
import { promptLines } from "../screen/prompt-lines.js";
import type { Chat } from "./chat.js";

/** Shows the prompt of the last model call. It is made again from what the thread keeps. */
export async function showLastPrompt({ session, screen, colours }: Chat): Promise<undefined> {
  const prompt = await promptOf(session.agent, session.thread);
  if (prompt === undefined) throw new UsageError("No model was called in this thread yet.");
  const shown = { ...prompt, ...promptData(prompt) };
  screen.write(promptLines({ ...shown, stop: [...shown.stop] }, colours));
}
