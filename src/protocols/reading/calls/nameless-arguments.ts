import { parsedJson } from "../../../base/attempted.js";
import { isRecord } from "../../../base/is-record.js";
import { listParameters } from "../../../core/tools/parameters.js";
import type { KnownTools } from "../tool-names.js";
import { inputText } from "./call-input.js";

/**
 * Returns the problem of a reply that is only the arguments of a tool, in JSON, without the tool's name. Such a reply may
 * also be an answer in JSON. Returns undefined for any other reply.
 */
export function namelessArguments(reply: string, tools: KnownTools): string | undefined {
  const json = /^(?:\{|```)/.test(reply) ? parsedJson(inputText(reply).text) : undefined;
  const keys = isRecord(json) ? Object.keys(json) : [];
  if (keys.length === 0) return undefined;
  for (const tool of tools) {
    const parameters = typeof tool === "string" ? [] : listParameters(tool.parameters);
    const known = keys.every((key) => parameters.some(({ name }) => name === key));
    if (
      typeof tool !== "string" &&
      known &&
      parameters.every(({ name, required }) => !required || keys.includes(name))
    ) {
      return `It has arguments without the name of a tool. If they are for ${tool.name}, call it by its name.`;
    }
  }
  return undefined;
}
