import type { Message } from "@langchain/langgraph-sdk";
import { useState } from "react";
import { writeCall } from "./seen-signs";

interface MessageViewProps {
  message: Message;
  disabled: boolean;
  /** Asks again from the state before the message, with another text or without one. */
  onAskAgain: (text?: string) => void;
}

/** A message of the conversation: a question, an answer, a step with its tool calls, or the result of a tool. */
export function MessageView({ message, disabled, onAskAgain }: MessageViewProps) {
  const text = textOf(message);
  if (message.type === "human") return <QuestionView text={text} disabled={disabled} onEdit={onAskAgain} />;
  if (message.type === "tool") return <pre>{text}</pre>;
  const calls = message.type === "ai" ? (message.tool_calls ?? []) : [];
  return (
    <>
      {text !== "" && <p>{text}</p>}
      {calls.map(({ id, name, args }) => (
        <code key={id}>{writeCall(name, args)}</code>
      ))}
      {calls.length === 0 && (
        <button type="button" disabled={disabled} onClick={() => onAskAgain()}>
          Answer again
        </button>
      )}
    </>
  );
}

interface QuestionViewProps {
  text: string;
  disabled: boolean;
  onEdit: (text: string) => void;
}

function QuestionView({ text, disabled, onEdit }: QuestionViewProps) {
  const [edited, setEdited] = useState<string>();
  if (edited === undefined) {
    return (
      <>
        <p>{text}</p>
        <button type="button" disabled={disabled} onClick={() => setEdited(text)}>
          Edit
        </button>
      </>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onEdit(edited);
        setEdited(undefined);
      }}
    >
      <input aria-label="Edited question" value={edited} onChange={({ target }) => setEdited(target.value)} />
      <button type="submit">Send</button>
    </form>
  );
}

function textOf({ type, content }: Message): string {
  if (typeof content === "string") return content;
  // What an agent adds to a result is a block of its own.
  return content.map((part) => (part.type === "text" ? part.text : "")).join(type === "tool" ? "\n" : "");
}
