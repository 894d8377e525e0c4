import { hash } from "node:crypto";
import { type ContentBlock, ToolMessage } from "@langchain/core/messages";
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from "@langchain/core/tools";
import { z } from "zod";
import { InvalidOptionError, SetupError, ToolError } from "../../base/errors.js";
import { checkedOptions, countOption, give } from "../../base/options.js";
import { similarWord } from "../../base/similar-word.js";
import { type McpArtifact, toArtifact, toContent } from "./content-blocks.js";
import { type McpServer, serverSchema } from "./mcp-file.js";
import { checkPins, type ToolDefinition } from "./pinned-tools.js";
import { loadMcpSdk } from "./sdk.js";
import type { ServerConnection } from "./server-connection.js";

const optionsSchema = z.strictObject({
  servers: z.record(z.string(), z.unknown(), give('servers by name, such as { files: { command: "npx", args: […] } }')),
  pins: z.string(give("the path of a file")).min(1, "Give the path of a file.").optional(),
  connectTimeoutMs: countOption.default(30_000),
  listTimeoutMs: countOption.default(30_000),
  callTimeoutMs: countOption.default(60_000),
});

/** The options of {@link mcpTools}. */
export interface McpToolsOptions extends Omit<z.input<typeof optionsSchema>, "servers"> {
  readonly servers: Readonly<Record<string, McpServer>>;
}

/** The tools of MCP servers, and the connections behind them. */
export interface McpTools extends AsyncDisposable {
  /** The tools, server by server, for the option `tools` of an agent. */
  readonly tools: readonly StructuredToolInterface[];
  /** Ends the connections and the servers' processes. A later call of a tool connects anew. */
  close(): Promise<void>;
}

/**
 * Connects to MCP servers and makes a LangChain tool of each of their tools. It needs the package
 * `@modelcontextprotocol/sdk`.
 *
 * A tool's result becomes content blocks, with its structured content in the artifact ({@link McpArtifact}). A failure
 * becomes a tool message that tells the model what to do. When the run is aborted, the call is cancelled at its server.
 * A server that dies or hangs is connected anew at the next call.
 *
 * A tool has effects unless its server marks it as read-only. A call with effects is made at most once. `effects` of a
 * server has the last word.
 *
 * Definitions are trusted as they are on first use. A server that changes a tool later is refused for that tool. Without
 * `pins` the first use is this call; with it, the first use is the one that made the file.
 *
 * @param options `servers`: the servers by name. A process has `command`, `args`, `env` and `cwd`; of the environment it
 *   gets only `env` and basic variables such as PATH. A server on the web has `url` and `headers`, and speaks streamable
 *   HTTP. Each may have `effects`: true or false for all of its tools, or an object by tool. `pins`: the path of a file
 *   that keeps the definitions. `connectTimeoutMs` and `listTimeoutMs`: the time for a server to begin, and to list its tools, in
 *   milliseconds; 30,000 by default. `callTimeoutMs`: the time for a call; 60,000 by default.
 * @returns The tools, and `close()`.
 * @throws {InvalidOptionError} for an option that is not possible. {@link SetupError} "missing-package" if the SDK is not
 *   installed. {@link McpServerError} if a server cannot be used. {@link McpToolsChangedError} if a tool is not the one in
 *   `pins`; it says what changed and how to accept that. {@link SetupError} "invalid-mcp-file" if `pins` cannot be read or written.
 * @example
 * await using mcp = await mcpTools({
 *   servers: { files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] } },
 *   pins: ".mcp.lock.json",
 * });
 * const agent = createAgent({ model: "openai:gpt-4o-mini", tools: mcp.tools });
 */
export async function mcpTools(options: McpToolsOptions): Promise<McpTools> {
  const { servers, pins, ...limits } = checkedOptions("mcpTools", optionsSchema, options);
  const checked = Object.entries(servers).map(([name, server]) => {
    return [name, checkedOptions(`mcpTools.servers.${name}`, serverSchema(server), server)] as const;
  });
  await loadMcpSdk().catch((cause: unknown) => {
    throw new SetupError("missing-package", "@modelcontextprotocol/sdk", "MCP servers", { cause });
  });
  const { ServerConnection } = await import("./server-connection.js");
  const connections = checked.map(([name, server]) => new ServerConnection(name, server, limits));
  try {
    const lists = await Promise.all(
      connections.map(async (connection) => [connection, await connection.listTools()] as const),
    );
    if (pins !== undefined) await checkPins(pins, new Map(lists.map(([{ name }, tools]) => [name, tools])));
    const served = lists.flatMap(([connection, definitions]) => servedTools(connection, definitions));
    const names = nameTools(served);
    const tools = served.map(({ connection, definition, effects }, index) =>
      mcpTool(names[index] ?? definition.name, definition, effects, connection),
    );
    return { tools, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }

  async function close(): Promise<void> {
    await Promise.all(connections.map((connection) => connection.close()));
  }
}

/**
 * Decides which tools of a server have effects. A name of an unknown tool in `effects` is an error, as it was probably meant
 * for another tool.
 */
function servedTools(connection: ServerConnection, definitions: readonly ToolDefinition[]) {
  const server = connection.name;
  const { effects } = connection.server;
  const words = new Map(typeof effects === "object" ? Object.entries(effects) : []);
  const names = definitions.map(({ name }) => name);
  const unknown = [...words.keys()].find((tool) => !names.includes(tool));
  if (unknown !== undefined) {
    const similar = similarWord(unknown, names);
    const guess = similar === undefined ? `Its tools are: ${names.join(", ")}.` : `Did you mean "${similar}"?`;
    throw new InvalidOptionError(`mcpTools.servers.${server}.effects`, `the server has no tool "${unknown}". ${guess}`);
  }
  return definitions.map((definition) => {
    const { name: tool, annotations } = definition;
    const word = typeof effects === "boolean" ? effects : words.get(tool);
    return { connection, definition, server, tool, effects: word ?? annotations?.readOnlyHint !== true };
  });
}

type Answer = [content: string | ContentBlock[] | ToolMessage, artifact: McpArtifact | undefined];

/**
 * Makes a LangChain tool that calls a tool of an MCP server. A call that fails gives a tool message with the status
 * `error`, which tells the model what happened and what to do. Without a tool call it throws an {@link ToolError} "mcp-call-failed".
 *
 * @param name The tool's name for models.
 * @param effects Whether a call must not be repeated.
 */
function mcpTool(
  name: string,
  definition: ToolDefinition,
  effects: boolean,
  connection: ServerConnection,
): StructuredToolInterface {
  const { title, description = title, inputSchema, annotations = {} } = definition;
  return tool(
    async (input: Record<string, unknown>, config: ToolRunnableConfig): Promise<Answer> => {
      const called = { name, effects, definition };
      const result = await connection.callTool(called, input, config.signal);
      const content = toContent(name, result);
      const artifact = toArtifact(result);
      if (!result.isError) return [content, artifact];
      const id = config.toolCall?.id ?? "";
      const message = new ToolMessage({ content, artifact, status: "error", name, tool_call_id: id });
      if (id === "") throw new ToolError("mcp-call-failed", message.text);
      return [message, artifact];
    },
    {
      name,
      description,
      schema: { type: "object", properties: {}, ...inputSchema },
      responseFormat: "content_and_artifact",
      metadata: { effects, untrusted: true, mcp: { server: connection.name, tool: definition.name, annotations } },
    },
  );
}

/** The most characters that OpenAI's API takes in the name of a tool. */
const longestName = 64;

/**
 * Names the tools of several servers, so that a model can call each. A tool keeps its name, with `_` for characters that
 * model providers refuse. Tools of the same name get their servers' names before them, whatever their order.
 */
export function nameTools(tools: readonly { readonly server: string; readonly tool: string }[]): string[] {
  const whole = ({ server, tool }: (typeof tools)[number]) => `${server}__${tool}`;
  const short = tools.map(({ tool }) => callable(tool));
  const long = tools.map((served, index) => ownName(short, index) ?? callable(whole(served)));
  return tools.map((served, index) => ownName(long, index) ?? withDigest(long[index] ?? "", whole(served)));
}

/** Returns the name at an index; undefined if another tool has it, too. */
function ownName(names: readonly string[], index: number): string | undefined {
  const name = names[index] ?? "";
  return names.indexOf(name) === names.lastIndexOf(name) ? name : undefined;
}

function callable(name: string): string {
  const plain = name.replaceAll(/[^\w-]/g, "_");
  return plain.length > longestName ? withDigest(plain, name) : plain;
}

function withDigest(name: string, whole: string): string {
  return `${name.slice(0, longestName - 9)}_${hash("sha256", whole).slice(0, 8)}`;
}
