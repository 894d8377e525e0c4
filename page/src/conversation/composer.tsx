import type { OpenThread } from "../client/open-thread.js";
import { Button } from "../parts/button.js";
import type { ServedAgent } from "../wire.js";
import { useDraft } from "./use-draft.js";
import { useViewer } from "./viewer.js";
import { WordsField } from "./words-field.js";
import "./composer.css";

/** The field for the next question, and Stop while a run is in hand. */
export function Composer({
  thread,
  agent,
  agents,
  onAgent,
  onAsk,
}: {
  readonly thread: OpenThread;
  /** Who answers. On a new thread another one can be chosen. */
  readonly agent: string;
  readonly agents: readonly ServedAgent[];
  readonly onAgent: (name: string) => void;
  /** Returns whether the question was taken. */
  readonly onAsk: (question: string) => Promise<boolean>;
}) {
  const { may } = useViewer();
  const [draft, setDraft] = useDraft(`question:${thread.id ?? "new"}`);
  const isRunning = thread.run !== undefined;
  async function ask() {
    const question = draft.trim();
    if (question === "") return;
    setDraft("");
    if (!(await onAsk(question))) setDraft(question);
  }
  if (!may.includes("ask")) return null;
  return (
    <div className="composer">
      <WordsField label={invitation(thread)} words={draft} onWords={setDraft} onEnter={ask} />
      {thread.id === undefined && agents.length > 1 ? (
        <select className="field" aria-label="Agent" value={agent} onChange={(event) => onAgent(event.target.value)}>
          {agents.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      ) : (
        <span className="muted on-one-line agent">{thread.id === undefined || thread.listed ? agent : ""}</span>
      )}
      {isRunning && <Button onClick={() => thread.stop()}>Stop</Button>}
      {(!isRunning || draft.trim() !== "") && (
        <Button kind="main" disabled={draft.trim() === ""} onClick={ask} aria-label="Ask">
          ⏎
        </Button>
      )}
    </div>
  );
}

function invitation({ turns, run }: OpenThread): string {
  const last = turns.at(-1);
  if (last !== undefined && last.waiting.length > 0) return "Decide first, or ask something else";
  if (run !== undefined) return "Ask the next question";
  return last === undefined ? "Ask a question" : "Ask a follow-up question";
}
