import { z } from "zod";
import { isRecord } from "../../base/is-record.js";
import { give, oneOf } from "../../base/options.js";

const texts = (what: string) => z.record(z.string(), z.string(give("a text")), give(`an object of ${what}`));

const effects = z.union(
  [z.boolean(), z.record(z.string(), z.boolean())],
  give('true, false, or an object such as { "read_file": false }'),
);

const processSchema = z.strictObject({
  type: oneOf(["stdio"]).optional(),
  command: z.string(give("the program to start")).min(1, "Give the program to start."),
  args: z.array(z.string(give("a text")), give("a list of texts")).default([]),
  env: texts("environment variables").default({}),
  cwd: z.string(give("the path of a folder")).optional(),
  effects: effects.optional(),
});

const webSchema = z.strictObject({
  type: oneOf(["http", "streamable-http"]).optional(),
  url: z.string(give("an address such as https://example.org/mcp")).refine(isWebAddress, {
    error: "Give an address that begins with http:// or https://, without a user and a password in it.",
  }),
  headers: texts("HTTP headers").default({}),
  effects: effects.optional(),
});

/** A server that is started as a process and spoken to over its stdin and stdout. */
export type McpProcess = z.output<typeof processSchema>;

/** A server on the web that speaks streamable HTTP. */
export type McpWebServer = z.output<typeof webSchema>;

/** An MCP server: a process (`command`) or an address (`url`). */
export type McpServer = z.input<typeof processSchema> | z.input<typeof webSchema>;

export type CheckedServer = McpProcess | McpWebServer;

/** Returns the schema for a server: that of an address if the server has a `url`, else that of a process. */
export function serverSchema(server: unknown): typeof processSchema | typeof webSchema {
  return isRecord(server) && "url" in server ? webSchema : processSchema;
}

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text) || !/^https?:/i.test(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}
