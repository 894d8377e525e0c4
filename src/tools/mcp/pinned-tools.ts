import { readFile, rename, writeFile } from "node:fs/promises";
import { z } from "zod";
import { McpToolsChangedError, SetupError } from "../../base/errors.js";
import { messageOf } from "../../base/message-of.js";
import { shorten } from "../../base/shorten.js";
import { changedParts, type DefinitionPart, type ToolDefinition, toolDefinitionSchema } from "./tool-definition.js";

const pinsSchema = z.object({
  version: z.literal(1),
  servers: z.record(z.string(), z.record(z.string(), toolDefinitionSchema.omit({ name: true }))),
});

type Pins = z.infer<typeof pinsSchema>;

/** The tools that servers list, by the servers' names. */
export type ListedTools = ReadonlyMap<string, readonly ToolDefinition[]>;

/**
 * Compares the tools of servers with the definitions that a file keeps, and adds the tools that are new to the file. So
 * a tool is trusted as it was on its first use. The tools that a server no longer has stay in the file.
 *
 * @param path The path of the file. It is made if it does not exist. People can read it and commit it.
 * @throws {McpToolsChangedError} for tools whose definition differs from the kept one. The file is left as it is.
 * @throws {SetupError} "invalid-mcp-file" for a file that cannot be read or written, or is no file of pinned tools.
 */
export async function checkPins(path: string, listed: ListedTools): Promise<void> {
  const pins = await readPins(path);
  const changed = [...listed].flatMap(([server, tools]) =>
    tools.flatMap((tool) => {
      const pinned = ownValue(ownValue(pins.servers, server), tool.name);
      const parts = pinned === undefined ? [] : changedParts({ ...pinned, name: tool.name }, tool);
      const changes = parts.map((part) => describeChange(part, pinned?.[part], tool[part]));
      return changes.length > 0 ? [{ server, tool: tool.name, changes }] : [];
    }),
  );
  if (changed.length > 0) throw new McpToolsChangedError(changed, path);
  const servers = { ...pins.servers };
  for (const [server, tools] of listed) {
    const pinned = ownValue(servers, server) ?? {};
    const added = tools.filter(({ name }) => !Object.hasOwn(pinned, name));
    servers[server] = { ...pinned, ...Object.fromEntries(added.map(({ name, ...definition }) => [name, definition])) };
  }
  await writePins(path, { version: 1, servers }, pins);
}

/** Shows the two values of a part from a little before their first difference on. */
function describeChange(part: DefinitionPart, before: unknown, after: unknown): string {
  const [was, is] = [JSON.stringify(before) ?? "not there", JSON.stringify(after) ?? "not there"];
  const start = Math.max(0, firstDifference(was, is) - 40);
  const shown = (text: string) => `${start > 0 ? "…" : ""}${shorten(text.slice(start), 200)}`;
  return `${part}: was ${shown(was)}, is now ${shown(is)}`;
}

function firstDifference(before: string, after: string): number {
  const index = before.split("").findIndex((letter, position) => letter !== after[position]);
  return index < 0 ? before.length : index;
}

function ownValue<Value>(values: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined {
  return values !== undefined && Object.hasOwn(values, key) ? values[key] : undefined;
}

async function readPins(path: string): Promise<Pins> {
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    throw new SetupError("invalid-mcp-file", path, `the pinned tools cannot be read: ${cause.message}.`, { cause });
  });
  if (text === undefined) return { version: 1, servers: {} };
  try {
    return pinsSchema.parse(JSON.parse(text));
  } catch (cause) {
    const reason = "this is no file of pinned MCP tools. Restore it, or delete it to pin all tools anew.";
    throw new SetupError("invalid-mcp-file", path, reason, { cause });
  }
}

/** Writes the file in one go, so that a reader never sees half of it. Writes nothing if there is nothing new. */
async function writePins(path: string, pins: Pins, before: Pins): Promise<void> {
  const text = toText(pins);
  if (text === toText(before)) return;
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(draft, text);
    await rename(draft, path);
  } catch (cause) {
    const reason = `the pinned tools cannot be written: ${messageOf(cause)}.`;
    throw new SetupError("invalid-mcp-file", path, reason, { cause });
  }
}

function toText(pins: Pins): string {
  return `${JSON.stringify(pins, undefined, 2)}\n`;
}
