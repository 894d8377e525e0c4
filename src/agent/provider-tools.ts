import { InvalidOptionError } from "../base/errors.js";
import { isRecord } from "../base/is-record.js";
import { hasMethods } from "../base/options.js";
import type { Protocol } from "../core/parts/protocol.js";
import type { AgentTool, ProviderTool, ToolOption } from "../core/parts/tools.js";
import type { ApprovePolicy } from "../middleware/approvals/policy.js";
import { runsInProgram } from "../provider-forms/provider-steps.js";

/** Tells whether a tool runs here. */
export function isAgentTool(value: unknown): value is AgentTool {
  return hasMethods(value, ["invoke"]) && "name" in value && "schema" in value;
}

/**
 * Returns the name of a tool that a provider runs, by its definition: `{ type: "web_search_20250305", name: "web_search" }` of
 * Anthropic, `{ type: "web_search" }` of OpenAI, `{ googleSearch: {} }` of Gemini. It is empty for anything else.
 */
export function providerToolName(value: unknown): string {
  if (!isRecord(value)) return "";
  const keys = Object.keys(value);
  const { type, name = type ?? keys[0] } = value;
  const isOfKey = keys.length === 1 && Object.values(value).every(isRecord);
  return type !== undefined || isOfKey ? String(name) : "";
}

/**
 * Returns the tools that the provider runs.
 *
 * @throws InvalidOptionError when the program would have to run one, when they do not fit the protocol, or when a person is to
 *   decide about each call.
 */
export function providerTools(
  tools: readonly ToolOption[],
  { nativeTools }: Pick<Protocol, "nativeTools">,
  approve: ApprovePolicy | undefined,
): ProviderTool[] {
  return tools.flatMap((definition) => {
    if (isAgentTool(definition)) return [];
    const name = providerToolName(definition);
    const refused = (option: string, why: string) => new InvalidOptionError(option, `"${name}" ${why}`);
    if (runsInProgram.test(String(definition.type)))
      throw refused("tools", "is a tool whose calls your program runs; give a LangChain tool that does so.");
    if (tools.some((tool) => isAgentTool(tool) && tool.name === name))
      throw refused("tools", "is the name of a tool of the provider, too; rename the other one.");
    if (!nativeTools) throw refused("tools", 'of the provider needs the protocol "tool-calling" or "auto".');
    if (approve === "always")
      throw refused(
        "approve",
        'runs at the provider, where nobody is asked before a call; leave the tool out, or do not use "always".',
      );
    return [{ name, definition }];
  });
}
