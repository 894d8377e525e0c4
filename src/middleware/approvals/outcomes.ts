import { endWithStop } from "../../base/end-with-stop.js";
import type { Verdict } from "../../core/parts/plugin.js";
import type { ApprovalDecision } from "../../core/state/approval.js";
import type { AgentAction, Outcome } from "../../core/state/decision.js";
import { toArguments } from "../../tool-inputs/tool-input.js";

/** Returns what a decision says about the call of an action, beside the input. */
export function decided(
  { tool, toolInput }: AgentAction,
  decision: ApprovalDecision,
): Pick<Verdict, "instead" | "note"> {
  switch (decision.type) {
    case "approve":
      return {};
    case "answer":
      return { instead: { observation: decision.answer, status: "success" } };
    case "edit": {
      const [before, now] = [toArguments(toolInput), decision.input].map((input) => JSON.stringify(input));
      return {
        note: `You called ${tool} with ${before}. A person changed the input to ${now}. The result is for that input.`,
      };
    }
    case "refuse":
      return { instead: refused(tool, decision.reason?.trim()) };
  }
}

function refused(tool: string, reason: string | undefined): Outcome {
  const observation =
    `A person refused this call of ${tool}${reason ? `: ${endWithStop(reason)}` : "."} The tool did not run. Do not make ` +
    "the same call again. Find another way, or give the final answer and say what was refused.";
  return { observation, status: "error" };
}

/** Tells the model that nobody can decide about a call, as the schema of its tool makes another input of it each time. */
export function neverTheSame(name: string): Outcome {
  const observation =
    `${name} was not run. A person has to approve its input, and its schema makes another input of this call each time. ` +
    "Do not make the same call again. Find another way, or give the final answer and say what could not be approved.";
  return { observation, status: "error" };
}
