import { placeBelow } from "../client/parts.js";
import { counted } from "../turn/amounts.js";
import type { Step } from "../turn/turn.js";
import type { KeptStep } from "./answers.js";
import { Data } from "./data.js";
import { Facts } from "./section.js";

interface ReadingProps {
  readonly step: Step;
  readonly kept: KeptStep | undefined;
}

/** What a reply was taken for, in a few words. */
export function readAs({ step: { kind, calls, why }, kept }: ReadingProps): string {
  const { reply, decision } = kept?.step ?? {};
  switch (kind) {
    case undefined:
      return "not read yet";
    case "action":
      if (reply === undefined) return counted(calls.length, "call");
      if (reply.toolCalls.length > 0) return counted(calls.length, "native call");
      return reply.model === undefined
        ? "calls that no model made"
        : `${counted(calls.length, "call")} in the text of the reply`;
    case "finish":
      return why === undefined ? "the answer" : "the answer at a limit";
    case "unparseable":
      return decision?.kind === "unparseable" && decision.limit
        ? "a call that is not made"
        : "neither a call nor an answer";
    default:
      return kind satisfies never;
  }
}

/** Why a reply was read as it was: as what, by which protocol, what was wrong with it, and what the model was told. */
export function ReadingView({ step, kept }: ReadingProps) {
  const { reply, decision } = kept?.step ?? {};
  const text = (value: string | undefined, ...path: string[]) =>
    value && <Data value={value} place={kept && placeBelow(kept.place, ...path)} />;
  const copied = decision?.kind === "action" ? decision.actions.filter((action) => action.copied).length : 0;
  return (
    <Facts
      facts={{
        "read as": readAs({ step, kept }),
        protocol: reply?.protocol,
        thought: step.thought !== reply?.text?.trim() && text(step.thought),
        why: text(step.why ?? reply?.last?.why),
        limit: decision?.kind === "unparseable" ? decision.limit : reply?.last?.stopReason,
        "told the model": decision?.kind === "unparseable" && text(decision.correction, "decision", "correction"),
        "asked for the end": text(reply?.last?.request, "reply", "last", "request"),
        "a copy": copied > 0 && `${counted(copied, "call")} stood word for word in a text from outside.`,
        changed: reply?.changed && "A part of the program changed the reply before it was read.",
        "ended the turn": decision?.kind === "finish" && decision.stopReason,
      }}
    />
  );
}
