import { readFile } from "node:fs/promises";
import { z } from "zod";
import { SetupError } from "../../base/errors.js";
import { isRecord } from "../../base/is-record.js";
import { messageOf } from "../../base/message-of.js";
import { give } from "../../base/options.js";
import { type McpServer, serverSchema } from "./servers.js";

type Environment = Readonly<Record<string, string | undefined>>;

const fileSchema = z.object({
  mcpServers: z.record(
    z.string(),
    z.record(z.string(), z.unknown(), give("an object with a command or a url")),
    give('an object of servers, such as { "files": { "command": "npx", "args": ["-y", "some-mcp-server"] } }'),
  ),
});

/**
 * Reads the servers of an `.mcp.json`, the file that many MCP clients share:
 *
 *     { "mcpServers": {
 *         "files": { "command": "npx", "args": ["-y", "some-mcp-server", "."], "env": { "TOKEN": "${FILES_TOKEN}" } },
 *         "search": { "type": "http", "url": "https://example.org/mcp", "headers": { "Authorization": "Bearer ${KEY}" } } } }
 *
 * A text can hold variables of the environment: `${NAME}`, also written `${env:NAME}`, or `${NAME:-default}` for a
 * variable that may be missing or empty. A server with `"disabled": true` is left out. Settings of other clients are
 * passed over. `effects` is Glassloop's own setting, as in {@link mcpTools}.
 *
 * @param path The path of the file.
 * @param env The variables; those of the process by default.
 * @returns The servers, for the option `servers` of {@link mcpTools}.
 * @throws {SetupError} "invalid-mcp-file" for a file that cannot be read or has a wrong form, and for a variable that
 *   is not set. It names the place in the file.
 * @example
 * const mcp = await mcpTools({ servers: await readMcpFile(".mcp.json") });
 */
export async function readMcpFile(
  path: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Record<string, McpServer>> {
  const file = fileSchema.safeParse(await readJson(path));
  if (!file.success) throw new SetupError("invalid-mcp-file", path, describeIssue([], file.error));
  const enabled = Object.entries(file.data.mcpServers).filter(([, server]) => server.disabled !== true);
  return Object.fromEntries(
    enabled.map(([name, server]) => [name, readServer(path, ["mcpServers", name], server, env)]),
  );
}

function readServer(path: string, place: string[], raw: Record<string, unknown>, env: Environment): McpServer {
  const schema = serverSchema(raw).strip();
  const server = schema.safeParse(expand(path, place, raw, env));
  if (!server.success) throw new SetupError("invalid-mcp-file", path, describeIssue(place, server.error));
  return server.data;
}

/** Replaces the variables in all texts of a value. */
function expand(path: string, place: readonly string[], value: unknown, env: Environment): unknown {
  if (Array.isArray(value)) return value.map((item, index) => expand(path, [...place, String(index)], item, env));
  if (isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, expand(path, [...place, key], item, env)]),
    );
  }
  if (typeof value !== "string") return value;
  return value.replaceAll(/\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_all, name: string, preset?: string) => {
    const found = env[name] || preset;
    if (found !== undefined) return found;
    const reason = `the environment variable ${name} is not set. Set it, or write \${${name}:-default}.`;
    throw new SetupError("invalid-mcp-file", path, `${place.join(".")}: ${reason}`);
  });
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    const reason =
      cause instanceof SyntaxError ? `this is no JSON: ${cause.message}` : `it cannot be read: ${messageOf(cause)}`;
    throw new SetupError("invalid-mcp-file", path, `${reason}.`, { cause });
  }
}

function describeIssue(place: readonly string[], { issues }: z.ZodError): string {
  const [issue] = issues;
  return `${[...place, ...(issue?.path ?? [])].join(".") || "the file"}: ${issue?.message}`;
}
