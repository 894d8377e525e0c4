import type { ToolCall } from "@langchain/core/messages/tool";
import { z } from "zod";
import { InvalidOptionError } from "../../base/errors.js";
import { metadataOf } from "../../core/parts/tool-metadata.js";
import type { AgentTool } from "../../core/parts/tools.js";
import { type DecisionType, decisionTypes } from "../../core/state/decision-types.js";
import type { RunView } from "../run-view.js";
import type { Approval } from "./judge-call.js";
import type { PolicyName } from "./policy-names.js";
import { afterTaint, outsideIn } from "./taint.js";

/** A call that a person may have to decide on. The action is not yet in the steps of the state. */
export interface ProposedCall<Context = Record<string, unknown>> extends RunView<Context> {
  /** The name of the tool. */
  readonly name: string;
  /** The tool. */
  readonly definition: AgentTool;
  /** What the tool gets, with all that its schema adds and changes. */
  readonly input: Readonly<ToolCall["args"]>;
}

/**
 * The calls that a person decides on:
 *
 * - `"never"`: none.
 * - `"effects"`: those of tools with `metadata: { effects: true }`.
 * - `"always"`: all calls. Refused for an agent with a tool of the provider, because the provider runs such calls without
 *   asking.
 * - A function: the calls for which the function returns true, or a text that tells the person why. Any result but false or
 *   "" asks the person. If the function throws, the run fails, and no tool is called.
 */
export type ApprovePolicy<Context = Record<string, unknown>> =
  | PolicyName
  | ((call: ProposedCall<Context>) => boolean | string | Promise<boolean | string>);

/**
 * Makes the check for a policy. A tool may ask for approval itself, with `metadata: { approve: … }`.
 *
 * @param afterOutside True if calls with effects ask once text from outside is in the thread.
 */
export function approval(policy: ApprovePolicy, afterOutside = false): (tool: AgentTool) => Approval | undefined {
  return (tool) => {
    const { name } = tool;
    const possible = "metadata" in tool ? metadataSchema.parse(tool.metadata).approve : undefined;
    if (possible !== undefined) return always(`${name} always asks a person.`, possible);
    if (policy === "always") return always("This agent asks a person before each call.");
    const tainted = afterOutside && metadataOf(tool).effects ? afterTaint(name) : undefined;
    if (typeof policy === "function")
      return async (input, view) => (await judged(policy, proposed(tool, input, view))) ?? tainted?.(input, view);
    return policy === "effects" && metadataOf(tool).effects ? beforeEffects(name) : tainted;
  };
}

/** The decisions that the `metadata` of a tool says a person can make about its calls. `true` stands for all of them. */
const metadataSchema = z
  .object({
    approve: z
      .union([z.literal(true).transform(() => decisionTypes), z.array(z.enum(decisionTypes)).min(1)])
      .optional()
      .catch(undefined),
  })
  .catch({ approve: undefined });

function always(why: string, allowed: readonly DecisionType[] = decisionTypes): Approval {
  return async () => ({ why, allowed: [...allowed] });
}

/** Asks about each call of a tool with effects. The person is told of text from outside in any case. */
function beforeEffects(name: string): Approval {
  return async (_, view) => {
    const holds = outsideIn(view);
    const why = `${name} has effects outside of this conversation${holds ? `, and ${holds}` : "."}`;
    return { why, allowed: [...decisionTypes] };
  };
}

/**
 * Makes the call that a policy function gets. Reading `tool` throws: elsewhere `tool` is a name, and a policy that compares
 * it with a name would let all calls pass.
 */
function proposed(definition: AgentTool, input: Readonly<Record<string, unknown>>, view: RunView): ProposedCall {
  const call = { ...view, name: definition.name, definition, input };
  return Object.defineProperty(call, "tool", { get: refuseTool });
}

function refuseTool(): never {
  const reason = 'its call has no "tool"; read "name", the name of the tool, or "definition", the tool itself.';
  throw new InvalidOptionError("approve", reason);
}

async function judged(
  policy: Extract<ApprovePolicy, (call: never) => unknown>,
  call: ProposedCall,
): ReturnType<Approval> {
  const answer = await policy(call);
  if (answer === false || answer === "") return undefined;
  const why = typeof answer === "string" ? answer : "This agent asks a person before such a call.";
  return { why, allowed: [...decisionTypes] };
}
