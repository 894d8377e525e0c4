import { useState } from "react";
import { seenJson, withSeenSigns, writeCall } from "./seen-signs";

/** What a person decides about a call. The digest names the input that they saw: a decision about another one is not taken. */
export type Decision = { digest: string } & (
  | { type: "approve" }
  | { type: "edit"; input: unknown }
  | { type: "refuse"; reason?: string }
  | { type: "answer"; answer: string }
);

/** A call that waits for a decision, as a Glassloop agent shows it in its interrupt. */
export interface ApprovalRequest {
  id: string;
  tool: string;
  input: Record<string, unknown>;
  /** What a person has to know about the input. */
  note?: string;
  why: string;
  allowed: Decision["type"][];
  digest: string;
  /** The reason why an earlier decision was not taken. */
  complaint?: string;
}

/** The value of the interrupt. */
export interface Approval {
  requests?: ApprovalRequest[];
}

interface ApprovalsProps {
  requests: ApprovalRequest[];
  /** Gets the decision for each call, by its id. */
  onDecide: (decisions: Record<string, Decision>) => void;
}

/** The calls that wait for a decision. All are decided before the run goes on. */
export function Approvals({ requests, onDecide }: ApprovalsProps) {
  const [decisions, setDecisions] = useState<Record<string, Decision>>({});

  function decide(id: string, decision: Decision) {
    const all = { ...decisions, [id]: decision };
    setDecisions(all);
    if (requests.every((request) => request.id in all)) onDecide(all);
  }

  return (
    <section aria-label="Decisions">
      {requests.map((request) => (
        <RequestView
          key={request.id}
          request={request}
          decided={decisions[request.id]?.type}
          onDecide={(decision) => decide(request.id, decision)}
        />
      ))}
    </section>
  );
}

interface RequestViewProps {
  request: ApprovalRequest;
  decided: Decision["type"] | undefined;
  onDecide: (decision: Decision) => void;
}

function RequestView({ request, decided, onDecide }: RequestViewProps) {
  const { tool, input, note, why, allowed, digest, complaint } = request;
  const shown = seenJson(input);
  const [text, setText] = useState(shown);
  const [words, setWords] = useState("");
  const edited = jsonIn(text);
  const mayEdit = allowed.includes("edit");

  return (
    <fieldset disabled={decided !== undefined}>
      <legend>{withSeenSigns(why)}</legend>
      {complaint && <p role="alert">{withSeenSigns(complaint)}</p>}
      {decided && <p>Decided: {decided}. The run goes on when all calls are decided.</p>}
      <code>{writeCall(tool, input)}</code>
      {note && <p>{withSeenSigns(note)}</p>}
      {mayEdit && <textarea aria-label="Input" value={text} onChange={({ target }) => setText(target.value)} />}
      {edited === undefined && <p role="alert">The input is no JSON yet.</p>}
      <input
        aria-label="Words"
        placeholder={allowed.includes("answer") ? "An answer, or a reason" : "A reason"}
        value={words}
        onChange={({ target }) => setWords(target.value)}
      />
      {allowed.includes("approve") && text === shown && (
        <button type="button" onClick={() => onDecide({ type: "approve", digest })}>
          Approve
        </button>
      )}
      {mayEdit && text !== shown && (
        <button
          type="button"
          disabled={edited === undefined}
          onClick={() => onDecide({ type: "edit", input: edited, digest })}
        >
          Run as edited
        </button>
      )}
      {allowed.includes("answer") && (
        <button
          type="button"
          disabled={words.trim() === ""}
          onClick={() => onDecide({ type: "answer", answer: words, digest })}
        >
          Answer
        </button>
      )}
      {allowed.includes("refuse") && (
        <button
          type="button"
          onClick={() => onDecide({ type: "refuse", ...(words.trim() && { reason: words }), digest })}
        >
          Refuse
        </button>
      )}
    </fieldset>
  );
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
