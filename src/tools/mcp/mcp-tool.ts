import { type ContentBlock, ToolMessage } from "@langchain/core/messages";
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from "@langchain/core/tools";
import { ToolError } from "../../base/errors.js";
import { type McpArtifact, toArtifact, toContent } from "./content-blocks.js";
import type { CallOutcome, ServerConnection } from "./server-connection.js";
import type { ToolDefinition } from "./tool-definition.js";

type Content = string | ContentBlock[];
type Answer = [content: Content | ToolMessage, artifact: McpArtifact | undefined];

/**
 * Makes a LangChain tool that calls a tool of an MCP server. A call that fails gives a tool message with the status
 * `error`, which tells the model what happened and what to do. Without a tool call it throws a {@link ToolError}
 * "mcp-call-failed".
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
  return tool(
    async (input: Record<string, unknown>, config: ToolRunnableConfig): Promise<Answer> => {
      const outcome = await connection.callTool(served.tool, input, config.signal);
      if (outcome.kind !== "result") return failure(describe(name, served.server, outcome, effects), undefined);
      const content = toContent(name, outcome.result);
      const artifact = toArtifact(outcome.result);
      return outcome.result.isError ? failure(content, artifact) : [content, artifact];

      function failure(failed: Content, about: McpArtifact | undefined): Answer {
        const message = new ToolMessage({
          content: failed,
          artifact: about,
          status: "error",
          name,
          tool_call_id: config.toolCall?.id ?? "",
        });
        if (message.tool_call_id === "") throw new ToolError("mcp-call-failed", message.text);
        return [message, about];
      }
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

function describe(
  name: string,
  server: string,
  outcome: Exclude<CallOutcome, { kind: "result" }>,
  effects: boolean,
): string {
  const { kind, reason } = outcome;
  switch (kind) {
    case "refused":
      return `The MCP server "${server}" refused the call of ${name}: ${reason}. Call it with another input, or go another way.`;
    case "not-made":
      return (
        `${name} was not called. The MCP server "${server}": ${reason}. Use another tool, or tell the user in the final ` +
        "answer that this one cannot be used now."
      );
    case "no-result":
      return `${name} gave no result. The MCP server "${server}": ${reason}. ${effects ? checkFirst(name) : `Call ${name} once more, or go another way.`}`;
  }
}

function checkFirst(name: string): string {
  return `It is not known whether the call took effect. Check that first, and call ${name} again only if it did not.`;
}
