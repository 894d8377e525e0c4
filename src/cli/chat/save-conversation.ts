import { UsageError } from "../program/exit-codes.js";
import { conversation } from "../screen/conversation.js";
import { writeNewFile } from "../session/write-new-file.js";
import type { Chat } from "./chat.js";

/** Writes the questions and answers of a thread to a new file, which only its owner can read. */
export async function saveConversation(chat: Chat, path: string): Promise<undefined> {
  if (path === "") throw new UsageError("Give the name of a new file, such as: /save talk.md");
  const { agent, thread } = chat.session;
  const { values } = await agent.getState({ configurable: { thread_id: thread } });
  const parts = conversation(values.messages ?? []).flatMap((event) =>
    event.type === "question" ? [`## ${event.asked}`] : event.type === "answer" ? [event.text] : [],
  );
  // No shell reads this line.
  const file = path.replace(/^~(?=\/)/, () => chat.io.env.HOME ?? "~");
  await writeNewFile(file, `${parts.join("\n\n")}\n`);
  chat.say(`Saved in ${file}`);
}
