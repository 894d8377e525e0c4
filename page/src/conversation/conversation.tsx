import type { OpenThread } from "../client/open-thread.js";

/** The turns of a thread as a conversation, and the field for the next question. */
export function Conversation({ thread }: { readonly thread: OpenThread }) {
  return (
    <main className="talk">
      {thread.turns.map((turn) => (
        <p key={turn.number}>{turn.asked}</p>
      ))}
    </main>
  );
}
