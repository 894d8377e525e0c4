import type { Message } from "@langchain/langgraph-sdk";
import { useStream } from "@langchain/langgraph-sdk/react";
import { type FormEvent, useRef, useState } from "react";
import { type Approval, Approvals, type Decision } from "./approvals";
import { MessageView } from "./message-view";
import { keepThread, settings } from "./settings";

type State = { messages: Message[] };

/** A conversation with an agent. A decision that fails may be about an old state, so the thread is loaded again. */
export function Chat() {
  const [threadId, setThreadId] = useState(settings.thread);
  const [loads, setLoads] = useState(0);
  const [failure, setFailure] = useState("");

  function loadAgain(error: unknown) {
    const isLate = error instanceof Error && error.name === "NotWaitingError";
    setFailure(isLate ? `Your decision was not taken. ${error.message}` : sentenceOf(error));
    setLoads(loads + 1);
  }

  return (
    <Conversation
      key={loads}
      threadId={threadId}
      onThreadId={setThreadId}
      failure={failure}
      onFailure={loadAgain}
      onSubmit={() => setFailure("")}
    />
  );
}

interface ConversationProps {
  threadId: string | null;
  onThreadId: (id: string) => void;
  /** The reason why the last decision failed; empty if it did not. */
  failure: string;
  /** Gets the error of a run that brought a decision. */
  onFailure: (error: unknown) => void;
  onSubmit: () => void;
}

/** The steps and tokens as they come, approvals, edits and branches. */
function Conversation({ threadId, onThreadId, failure, onFailure, onSubmit }: ConversationProps) {
  const isDeciding = useRef(false);
  const thread = useStream<State, { InterruptType: Approval }>({
    apiUrl: settings.server,
    assistantId: settings.assistant,
    threadId,
    onThreadId: (id) => {
      onThreadId(id);
      keepThread(id);
    },
    onError: (error) => isDeciding.current && onFailure(error),
    // A reload in the middle of a run goes on with it.
    reconnectOnMount: true,
    // A turn with one tool has eight checkpoints. A page that loads ten shows no branches of older turns.
    fetchStateHistory: { limit: 200 },
  });
  const { messages, isLoading, interrupt, error } = thread;
  // LangGraph's dev server takes the checkpoint of an edit for later runs, too. So each run names its own.
  const checkpoint = thread.history.at(-1)?.checkpoint;
  const problem = failure || (error === undefined ? "" : sentenceOf(error));
  const options = { streamResumable: true, onDisconnect: "continue", checkpoint } as const;

  function submit(input: Partial<State> | undefined, given: Parameters<typeof thread.submit>[1]) {
    isDeciding.current = given?.command !== undefined;
    onSubmit();
    thread.submit(input, { ...options, ...given });
  }

  function ask(text: string) {
    const question: Message = { type: "human", content: text };
    const optimisticValues = ({ messages: before = [] }: Partial<State>) => ({ messages: [...before, question] });
    submit({ messages: [question] }, { optimisticValues });
  }

  /** Another tab may decide at the same time. Its run then comes first, and this decision is refused in words. */
  function decide(resume: Record<string, Decision>) {
    submit(undefined, { command: { resume }, multitaskStrategy: "enqueue" });
  }

  /** Asks again from the state before a message: with another question, or for another answer. */
  function askAgain(message: Message, text?: string) {
    const before = thread.getMessagesMetadata(message)?.firstSeenState?.parent_checkpoint;
    const input = text === undefined ? undefined : { messages: [{ type: "human" as const, content: text }] };
    submit(input, { checkpoint: before });
  }

  return (
    <main>
      <h1>{settings.assistant}</h1>
      <ol>
        {messages.map((message, index) => {
          const metadata = thread.getMessagesMetadata(message, index);
          return (
            <li key={message.id ?? index} className={message.type}>
              <MessageView message={message} disabled={isLoading} onAskAgain={(text) => askAgain(message, text)} />
              <Branches branch={metadata?.branch} options={metadata?.branchOptions} onChoose={thread.setBranch} />
            </li>
          );
        })}
      </ol>
      {problem !== "" && <p role="alert">{problem}</p>}
      {interrupt?.value && !isLoading ? (
        <Approvals requests={interrupt.value.requests ?? []} onDecide={decide} />
      ) : (
        <Question isLoading={isLoading} onAsk={ask} onStop={() => thread.stop()} />
      )}
    </main>
  );
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface BranchesProps {
  branch: string | undefined;
  options: string[] | undefined;
  onChoose: (branch: string) => void;
}

function Branches({ branch, options = [], onChoose }: BranchesProps) {
  if (branch === undefined || options.length < 2) return null;
  const at = options.indexOf(branch);
  const go = (step: number) => () => onChoose(options[at + step] ?? branch);
  return (
    <span className="branches">
      <button type="button" disabled={at <= 0} onClick={go(-1)} aria-label="Earlier branch">
        ‹
      </button>
      {at + 1} of {options.length}
      <button type="button" disabled={at + 1 >= options.length} onClick={go(1)} aria-label="Later branch">
        ›
      </button>
    </span>
  );
}

function Question({
  isLoading,
  onAsk,
  onStop,
}: {
  isLoading: boolean;
  onAsk: (text: string) => void;
  onStop: () => void;
}) {
  const [text, setText] = useState("");

  function send(event: FormEvent) {
    event.preventDefault();
    if (text.trim() === "") return;
    onAsk(text);
    setText("");
  }

  return (
    <form onSubmit={send}>
      <input aria-label="Question" value={text} onChange={({ target }) => setText(target.value)} />
      {isLoading ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit">Ask</button>
      )}
    </form>
  );
}
