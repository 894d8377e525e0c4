import type { StructuredToolInterface } from "@langchain/core/tools";
import { InvalidOptionError } from "../base/errors.js";
import { isFinishWord } from "../protocols/reading/label-words.js";

/** @throws InvalidOptionError when two tools have one name, or a name that no model could call. */
export function byName(tools: readonly StructuredToolInterface[]): Map<string, StructuredToolInterface> {
  const named = new Map<string, StructuredToolInterface>();
  for (const tool of tools) {
    checkName(tool.name);
    if (named.has(tool.name)) throw new InvalidOptionError("tools", `two tools are named "${tool.name}"; rename one.`);
    named.set(tool.name, tool);
  }
  return named;
}

function checkName(name: string): void {
  const problem =
    typeof name !== "string" || name.trim() === ""
      ? "is empty"
      : name !== name.trim()
        ? "begins or ends with a space"
        : /\p{Cc}/u.test(name)
          ? "has a line break or another control character"
          : isFinishWord(name) || name.toLowerCase() === "none"
            ? "is the protocols' own word for ending a turn"
            : undefined;
  if (problem) {
    throw new InvalidOptionError("tools", `the tool name ${JSON.stringify(name)} ${problem}; give it another name.`);
  }
}
