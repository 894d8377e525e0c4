import { useEffect, useState } from "react";
import { get } from "../client/server.js";
import { LongText } from "../parts/long-text.js";
import { Note } from "../parts/note.js";
import "./plain-thread.css";

/** A message of a graph that is no agent of Glassloop. */
interface PlainMessage {
  readonly type: string;
  readonly text: string;
}

/** The messages of a thread that has no turns: undefined until they are known, empty if it has none. */
export function usePlainMessages(thread: string | undefined): readonly PlainMessage[] {
  const [messages, setMessages] = useState<readonly PlainMessage[]>([]);
  useEffect(() => {
    setMessages([]);
    if (thread === undefined) return;
    const stop = new AbortController();
    get<unknown>(`threads/${encodeURIComponent(thread)}/state`, stop.signal).then(
      (state) => setMessages(messagesIn(state)),
      () => {},
    );
    return () => stop.abort();
  }, [thread]);
  return messages;
}

/** A thread of another graph: its messages, without steps. */
export function PlainThread({ messages }: { readonly messages: readonly PlainMessage[] }) {
  return (
    <main className="talk plain-thread" tabIndex={-1}>
      <Note tone="person">
        The graph of this thread is no agent of Glassloop, so its steps cannot be shown. These are its messages.
      </Note>
      {messages.map(({ type, text }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the messages keep their order.
        <article key={place}>
          <h2>{type}</h2>
          <LongText text={text} />
        </article>
      ))}
    </main>
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
