import { hash } from "node:crypto";
import { type ContentBlock, ToolMessage } from "@langchain/core/messages";
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from "@langchain/core/tools";
import { ToolError } from "../../base/errors.js";
import { type McpArtifact, toArtifact, toContent } from "./content-blocks.js";
import type { ToolDefinition } from "./pinned-tools.js";
import type { ServerConnection } from "./server-connection.js";

type Answer = [content: string | ContentBlock[] | ToolMessage, artifact: McpArtifact | undefined];

/**
 * Makes a LangChain tool that calls a tool of an MCP server. A call that fails gives a tool message with the status
 * `error`, which tells the model what happened and what to do. Without a tool call it throws an {@link ToolError} "mcp-call-failed".
 *
 * @param name The tool's name for models.
 * @param effects Whether a call must not be repeated.
 */
export function mcpTool(
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
