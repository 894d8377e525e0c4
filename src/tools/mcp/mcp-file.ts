import { z } from "zod";
import { SetupError } from "../../base/errors.js";
import { isRecord } from "../../base/is-record.js";
import { messageOf } from "../../base/message-of.js";
import { give, oneOf } from "../../base/options.js";
import { readSmallFile } from "../../base/read-small-file.js";

/** The schema of a text that a process can be given. */
const text = (what: string) => z.string(give(what)).regex(/^[^\0]*$/, give("a text without NUL"));
const texts = (what: string) => z.record(z.string(), text("a text"), give(`an object of ${what}`));

const effects = z
  .union(
    [z.boolean(), z.record(z.string(), z.boolean())],
    give('true, false, or an object such as { "read_file": false }'),
  )
  .optional();

const processSchema = z.strictObject({
  type: oneOf(["stdio"]).optional(),
  command: text("the program to start").min(1, "Give the program to start."),
  args: z.array(text("a text"), give("a list of texts")).default([]),
  env: texts("environment variables").default({}),
  cwd: text("the path of a folder").optional(),
  effects,
});

const webSchema = z.strictObject({
  type: oneOf(["http", "streamable-http"]).optional(),
  url: z.string(give("an address such as https://example.org/mcp")).refine(isWebAddress, {
    error: "Give an address that begins with http:// or https://, without a user and a password in it.",
  }),
  headers: texts("HTTP headers").default({}),
  effects,
});

/** A server that is started as a process and spoken to over its stdin and stdout. */
export type McpProcess = z.output<typeof processSchema>;

/** A server on the web that speaks streamable HTTP. */
export type McpWebServer = z.output<typeof webSchema>;

/** An MCP server: a process (`command`) or an address (`url`). */
export type McpServer = z.input<typeof processSchema> | z.input<typeof webSchema>;

/** Returns the schema for a server: that of an address if the server has a `url`, else that of a process. */
export function serverSchema(server: unknown): typeof processSchema | typeof webSchema {
  return isRecord(server) && "url" in server ? webSchema : processSchema;
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\/[^/?#\\@]+(?:[/?#]|$)/i.test(text);
}

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
 * @throws {SetupError} "invalid-mcp-file" for a file that cannot be read or has a wrong form, and for a variable that is not set. It names
 *   the place in the file.
 * @example
 * const mcp = await mcpTools({ servers: await readMcpFile(".mcp.json") });
 */
export async function readMcpFile(
  path: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Record<string, McpServer>> {
  const { mcpServers } = checked([], fileSchema, readJson(path));
  const enabled = Object.entries(mcpServers).filter(([, server]) => server.disabled !== true);
  return Object.fromEntries(
    enabled.map(([name, server]) => {
      const place = ["mcpServers", name];
      return [name, checked(place, serverSchema(server).strip(), filled(place, server))];
    }),
  );

  function refused(place: readonly PropertyKey[], reason = ""): SetupError {
    return new SetupError("invalid-mcp-file", path, `${place.join(".") || "the file"}: ${reason}`);
  }

  function checked<Schema extends z.ZodType>(place: string[], schema: Schema, value: unknown): z.output<Schema> {
    const { data, error } = schema.safeParse(value);
    if (error === undefined) return data;
    const [issue] = error.issues;
    throw refused([...place, ...(issue?.path ?? [])], issue?.message);
  }

  /** Replaces the variables in all texts of a value. */
  function filled(place: readonly string[], value: unknown): unknown {
    if (typeof value === "object" && value !== null) {
      const items = Object.entries(value).map(([key, item]) => [key, filled([...place, key], item)] as const);
      return Array.isArray(value) ? items.map(([, item]) => item) : Object.fromEntries(items);
    }
    if (typeof value !== "string") return value;
    return value.replaceAll(/\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_all, name: string, preset?: string) => {
      const found = env[name] || preset;
      if (found !== undefined) return found;
      throw refused(place, `the environment variable ${name} is not set. Set it, or write \${${name}:-default}.`);
    });
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readSmallFile(path));
  } catch (cause) {
    const what = cause instanceof SyntaxError ? "this is no JSON" : "it cannot be read";
    throw new SetupError("invalid-mcp-file", path, `${what}: ${messageOf(cause)}.`, { cause });
  }
}
