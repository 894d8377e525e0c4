import { format, parse } from "node:path";
import type { McpTools } from "../../tools/mcp/mcp-tools.js";
import type { Io } from "../io.js";

/**
 * Connects to the MCP servers of a file. The definitions of their tools are pinned in a file beside it: those of
 * `.mcp.json` in `.mcp.lock.json`.
 */
export async function loadMcpTools(file: string, env: Io["env"]): Promise<McpTools> {
  const [{ readMcpFile }, { mcpTools }] = await Promise.all([
    import("../../tools/mcp/mcp-file.js"),
    import("../../tools/mcp/mcp-tools.js"),
  ]);
  return mcpTools({ servers: await readMcpFile(file, env), pins: lockFile(file) });
}

function lockFile(file: string): string {
  const { dir, base } = parse(file);
  return format({ dir, base: `${base.replace(/\.json$/, "")}.lock.json` });
}
