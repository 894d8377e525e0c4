import { InvalidOptionError } from "../base/errors.js";
import type { Protocol } from "../protocols/protocol.js";
import { isFinishWord } from "../protocols/reading/label-words.js";
import type { AgentTool } from "../tools/calling/tool-spec.js";

/**
 * Returns the tools of an agent by name.
 *
 * @param protocol The text protocol of the agent. A tool must not have a name that ends a turn there, such as `Finish`.
 * @throws InvalidOptionError when two tools have one name, or a model cannot call the name.
 */
export function byName(tools: readonly AgentTool[], protocol: Protocol): Map<string, AgentTool> {
  const named = new Map<string, AgentTool>();
  for (const tool of tools) {
    const problem = problemOf(tool.name, protocol);
    if (problem !== undefined) {
      const name = JSON.stringify(tool.name);
      throw new InvalidOptionError("tools", `the tool name ${name} ${problem}; give it another name.`);
    }
    if (named.has(tool.name)) throw new InvalidOptionError("tools", `two tools are named "${tool.name}"; rename one.`);
    named.set(tool.name, tool);
  }
  return named;
}

function problemOf(name: unknown, { nativeTools = false }: Protocol): string | undefined {
  if (typeof name !== "string" || name.trim() === "") return "is empty";
  if (name !== name.trim()) return "begins or ends with a space";
  if (/\p{Cc}/u.test(name)) return "has a line break or another control character";
  const endsTurn = !nativeTools && (isFinishWord(name) || name.toLowerCase() === "none");
  return endsTurn ? "is the protocols' own word for ending a turn" : undefined;
}
