import { useEffect, useState } from "react";
import type { OpenThread } from "../client/open-thread.js";
import { requests } from "../client/server.js";
import { sentenceFor } from "../client/server-error.js";
import { LongText } from "../parts/long-text.js";
import { Note } from "../parts/note.js";
import "./plain-thread.css";

/** A message of a graph that is no agent of Glassloop. */
interface PlainMessage {
  readonly type: string;
  readonly text: string;
}

/** Tells whether a thread belongs to a graph that is no agent of Glassloop: what it did is no turn, and has the number 0. */
export function isPlain({ turns }: OpenThread): boolean {
  return turns[0]?.number === 0;
}

/** A thread of another graph: its messages, without steps. */
export function PlainThread({ thread: { id = "", listed } }: { readonly thread: OpenThread }) {
  const [messages, setMessages] = useState<readonly PlainMessage[]>([]);
  const [problem, setProblem] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a thread that was written has other messages.
  useEffect(() => {
    const stop = new AbortController();
    requests.get<unknown>(`threads/${encodeURIComponent(id)}/state`, stop.signal).then(
      (state) => setMessages(messagesIn(state)),
      (error: unknown) => stop.signal.aborted || setProblem(sentenceFor(error)),
    );
    return () => stop.abort();
  }, [id, listed?.updatedAt]);
  return (
    <div className="talk plain-thread" tabIndex={-1}>
      <Note tone="person">
        The graph of this thread is no agent of Glassloop, so it has no turns to show. These are its messages.
      </Note>
      {problem && <Note tone="bad">{problem}</Note>}
      {messages.map(({ type, text }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the messages keep their order.
        <article key={place}>
          <h2>{type}</h2>
          <LongText text={text} />
        </article>
      ))}
    </div>
  );
}

/** Reads the messages of a state, as LangGraph writes them. */
export function messagesIn(state: unknown): PlainMessage[] {
  const messages = fieldOf(fieldOf(state, "values"), "messages");
  if (!Array.isArray(messages)) return [];
  return messages.map((message) => ({
    type: String(fieldOf(message, "type") ?? "message"),
    text: textOf(fieldOf(message, "content")),
  }));
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.map((block) => String(fieldOf(block, "text") ?? `(${fieldOf(block, "type")})`)).join("\n");
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && name in value ? Reflect.get(value, name) : undefined;
}
