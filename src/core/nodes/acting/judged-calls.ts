import type { AgentParts } from "../../parts/agent-parts.js";
import type { CallsOfStep, Plugin, Verdict } from "../../parts/plugin.js";
import type { AgentTool } from "../../parts/tools.js";

/** Tells whether a plug-in may judge the calls of a tool. */
export function areJudged(plugins: readonly Plugin[], tool: AgentTool): boolean {
  return plugins.some(({ judges }) => judges?.(tool));
}

/** Lets the plug-ins judge the calls of a step. Of two verdicts about a call the first one counts. */
export async function judgedCalls(
  { plugins, tools }: Pick<AgentParts, "plugins" | "tools">,
  step: Omit<CallsOfStep, "tools">,
): Promise<ReadonlyMap<string, Verdict>> {
  let verdicts: ReadonlyMap<string, Verdict> = new Map();
  for (const { beforeTools } of plugins)
    if (beforeTools) verdicts = new Map([...(await beforeTools({ ...step, tools: tools.byName })), ...verdicts]);
  return verdicts;
}
