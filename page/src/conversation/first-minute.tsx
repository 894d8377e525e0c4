import type { ServedAgent } from "../wire.js";
import { questionsFor } from "./first-questions.js";
import "./first-minute.css";

/** What an empty thread shows: questions to begin with, and how to get a model if there is none. */
export function FirstMinute({
  agent,
  onAsk,
}: {
  readonly agent: ServedAgent | undefined;
  readonly onAsk: (question: string) => void;
}) {
  const isOffline = agent?.models?.some(({ name }) => name === "offline") ?? false;
  return (
    <div className="first-minute">
      <h2>Ask something, and watch the loop.</h2>
      {isOffline && (
        <p className="muted">
          No model is named, so <strong>offline</strong> answers: rules that calculate and quote documents, not a
          language model. Everything stays on this machine.
        </p>
      )}
      {agent?.problem && <p className="of-person">{agent.problem}</p>}
      {questionsFor(agent).map(({ question, about }) => (
        <button key={question} type="button" className="first-question" onClick={() => onAsk(question)}>
          {question}
          {about && <small>{about}</small>}
        </button>
      ))}
      {(isOffline || agent?.problem) && (
        <>
          <p className="muted">With a model of yours, start the server with its name:</p>
          <pre className="commands">
            {"OPENAI_API_KEY=… glassloop serve --model openai:gpt-4o-mini\n"}
            {"glassloop serve --model llama3.2 --base-url http://127.0.0.1:11434/v1"}
          </pre>
        </>
      )}
    </div>
  );
}
