import { useState } from "react";
import { withSeenSigns, writeCall } from "./seen-signs";

/** A call that waits for a decision, as a Glassloop agent shows it in its interrupt. */
export interface ApprovalRequest {
  id: string;
  tool: string;
  input: Record<string, unknown>;
  /** What a person has to know about the input. */
  note?: string;
  why: string;
}

/** The value of the interrupt. */
export interface Approval {
  requests?: ApprovalRequest[];
}

interface ApprovalsProps {
  requests: ApprovalRequest[];
  /** Gets the decision for each call, by its id. */
  onDecide: (decisions: Record<string, "approve" | "refuse">) => void;
}

/** The calls that wait for a decision. All are decided before the run goes on. */
export function Approvals({ requests, onDecide }: ApprovalsProps) {
  const [decisions, setDecisions] = useState<Record<string, "approve" | "refuse">>({});

  function decide(id: string, decision: "approve" | "refuse") {
    const all = { ...decisions, [id]: decision };
    setDecisions(all);
    if (requests.every((request) => request.id in all)) onDecide(all);
  }

  return (
    <section aria-label="Decisions">
      {requests.map(({ id, tool, input, note, why }) => (
        <fieldset key={id} disabled={id in decisions}>
          <legend>{withSeenSigns(why)}</legend>
          <code>{writeCall(tool, input)}</code>
          {note !== undefined && <p>{withSeenSigns(note)}</p>}
          <button type="button" onClick={() => decide(id, "approve")}>
            Approve
          </button>
          <button type="button" onClick={() => decide(id, "refuse")}>
            Refuse
          </button>
        </fieldset>
      ))}
    </section>
  );
}
