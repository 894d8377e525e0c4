import { randomUUID } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { McpToolsChangedError, SetupError } from "../../base/errors.js";
import { codeOf, messageOf } from "../../base/message-of.js";
import { readSmallFile } from "../../base/read-small-file.js";
import { shorten } from "../../base/shorten.js";

const record = z.record(z.string(), z.unknown());

/** The schema of a tool as an MCP server lists it, with the parts that a model or a person is shown. */
export const toolDefinitionSchema = z.object({
  // A record cannot hold the name `__proto__`, so such a tool could not be pinned.
  name: z.string().regex(/^(?!__proto__$)./s),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: record.default({}),
  outputSchema: record.optional(),
  annotations: record.optional(),
});

/** A tool as an MCP server lists it. */
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;

type Definition = Omit<ToolDefinition, "name">;

/** Lists the parts in which two definitions of a tool differ. The order of keys does not matter. */
export function changedParts(before: Definition, after: Definition): (keyof Definition)[] {
  const parts = ["title", "description", "inputSchema", "outputSchema", "annotations"] as const;
  return parts.filter((part) => !isDeepStrictEqual(before[part], after[part]));
}

const pinsSchema = z.object({
  version: z.literal(1),
  servers: mapOf(mapOf(toolDefinitionSchema.omit({ name: true }))),
});

function mapOf<Value extends z.ZodType>(value: Value) {
  return z.record(z.string(), value).transform((values) => new Map(Object.entries(values)));
}

/**
 * Compares the tools of servers with the definitions that a file keeps, and adds the tools that are new to the file. So
 * a tool is trusted as it was on its first use. The tools that a server no longer has stay in the file.
 *
 * @param path The path of the file, which is made if it does not exist. Meant to be read by people and committed.
 * @param listed The tools that servers list, by the servers' names.
 * @throws {McpToolsChangedError} for tools whose definition differs from the kept one. The file is left as it is.
 * @throws {SetupError} "invalid-mcp-file" for a file that cannot be read or written, or is no file of pinned tools.
 */
export async function checkPins(path: string, listed: ReadonlyMap<string, readonly ToolDefinition[]>): Promise<void> {
  const { servers } = readPins(path);
  const tools = [...listed].flatMap(([server, definitions]) =>
    definitions.map(({ name, ...now }) => ({ server, tool: name, now, pinned: servers.get(server)?.get(name) })),
  );
  const changed = tools.flatMap(({ server, tool, now, pinned = now }) => {
    const changes = changedParts(pinned, now).map((part) => describeChange(part, pinned[part], now[part]));
    return changes.length > 0 ? [{ server, tool, changes }] : [];
  });
  if (changed.length > 0) throw new McpToolsChangedError(changed, path);
  const added = tools.filter(({ pinned }) => pinned === undefined);
  for (const { server, tool, now } of added) servers.set(server, (servers.get(server) ?? new Map()).set(tool, now));
  if (added.length > 0) await writePins(path, servers);
}

/** Shows the two values of a part from a little before their first difference on. */
function describeChange(part: string, before: unknown, after: unknown): string {
  const [was, is] = [JSON.stringify(before) ?? "not there", JSON.stringify(after) ?? "not there"];
  const same = was.split("").findIndex((letter, position) => letter !== is[position]);
  const start = Math.max(0, (same < 0 ? was.length : same) - 40);
  const shown = (text: string) => `${start > 0 ? "…" : ""}${shorten(text.slice(start), 200)}`;
  return `${part}: was ${shown(was)}, is now ${shown(is)}`;
}

function readPins(path: string): z.infer<typeof pinsSchema> {
  try {
    return pinsSchema.parse(JSON.parse(readSmallFile(path)));
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return { version: 1, servers: new Map() };
    const isOther = cause instanceof SyntaxError || cause instanceof z.ZodError;
    const reason = isOther ? noPins : `the pinned tools cannot be read: ${messageOf(cause)}.`;
    throw new SetupError("invalid-mcp-file", path, reason, { cause });
  }
}

const noPins = "this is no file of pinned MCP tools. Restore it, or delete it to pin all tools anew.";

/**
 * Writes the file in one go, so that a reader never sees half of it. Nobody can foretell the name of the draft, and put a
 * link in its place.
 */
async function writePins(path: string, pinned: ReadonlyMap<string, ReadonlyMap<string, Definition>>): Promise<void> {
  const servers = Object.fromEntries([...pinned].map(([server, tools]) => [server, Object.fromEntries(tools)]));
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, `${JSON.stringify({ version: 1, servers }, undefined, 2)}\n`);
    await rename(draft, path);
  } catch (cause) {
    throw new SetupError("invalid-mcp-file", path, `the pinned tools cannot be written: ${messageOf(cause)}.`, {
      cause,
    });
  }
}
