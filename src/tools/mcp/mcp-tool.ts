import { type ContentBlock, ToolMessage } from "@langchain/core/messages";
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from "@langchain/core/tools";
import { McpCallError } from "../../base/errors.js";
import { type McpArtifact, toArtifact, toContent } from "./content-blocks.js";
import type { ToolDefinition } from "./pinned-tools.js";
import type { ServerConnection } from "./server-connection.js";

type Answer = [content: string | ContentBlock[] | ToolMessage, artifact: McpArtifact | undefined];

/**
 * Makes a LangChain tool that calls a tool of an MCP server. A call that fails gives a tool message with the status
 * `error`, which tells the model what happened and what to do. Without a tool call it throws an {@link McpCallError}.
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
  const served = { server: connection.name, tool: definition.name };
  const called = { name, effects, tool: definition.name };
  return tool(
    async (input: Record<string, unknown>, config: ToolRunnableConfig): Promise<Answer> => {
      const result = await connection.callTool(called, input, config.signal);
      const content = toContent(name, result);
      const artifact = toArtifact(result);
      if (!result.isError) return [content, artifact];
      const id = config.toolCall?.id ?? "";
      const message = new ToolMessage({ content, artifact, status: "error", name, tool_call_id: id });
      if (id === "") throw new McpCallError(served.server, served.tool, message.text);
      return [message, artifact];
    },
    {
      name,
      description,
      schema: { type: "object", properties: {}, ...inputSchema },
      responseFormat: "content_and_artifact",
      metadata: { effects, untrusted: true, mcp: { ...served, annotations } },
    },
  );
}
