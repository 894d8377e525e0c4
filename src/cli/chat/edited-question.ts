import { rewind } from "../../core/turns/go-back.js";
import { editorOf, editText } from "../deciding/edit-text.js";
import { UsageError } from "../program/exit-codes.js";
import { labelled } from "../screen/screen-text.js";
import type { Chat } from "./chat.js";

/**
 * Lets the person change the last question of a chat in their editor.
 *
 * @returns The new question; undefined if nothing is to be asked.
 * @throws UsageError without an editor. Throws the errors of `rewind` and `editText`, too.
 */
export async function editedQuestion(chat: Chat): Promise<string | undefined> {
  const { agent, thread } = chat.session;
  const { values } = await agent.getState(await rewind(agent, thread));
  const last = values.messages?.at(-1)?.text ?? "";
  const editor = chat.io.stdin.isTTY ? editorOf(chat.io.env) : undefined;
  if (editor === undefined) throw new UsageError(withoutEditor);
  const question = (await editText(`${last}\n`, "question.md", editor, chat.io.env)).trim();
  if (question === "" || question === last.trim()) {
    chat.say("Nothing was changed, so nothing is asked.");
    return undefined;
  }
  chat.screen.write(labelled(chat.colours.bold(">"), question));
  return question;
}

const withoutEditor =
  "Give the new question, such as: /edit What is 2 + 3? To change the last one at a terminal, set VISUAL or EDITOR.";
