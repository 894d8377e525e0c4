// MCP server: its tools become tools of the agent. Here the server runs in this process, and they talk over HTTP.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createAgent, mcpTools } from "glassloop";
import { scriptedModel, transcript } from "glassloop/testing";
import { z } from "zod";

const server = createServer(async (request, response) => {
  const shop = new McpServer({ name: "shop", version: "1.0.0" });
  shop.registerTool("price", { description: "Tells a price.", inputSchema: { product: z.string() } }, (input) => ({
    content: [{ type: "text", text: `${input.product}: 4.50` }],
  }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await shop.connect(transport);
  await transport.handleRequest(request, response);
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;

const mcp = await mcpTools({ servers: { shop: { url: `http://127.0.0.1:${port}/mcp` } } });
console.log(mcp.tools.map(({ name, description }) => `${name}: ${description}`).join("\n"));

const model = scriptedModel([
  { tool_calls: [{ name: "price", args: { product: "tea" } }] },
  "A packet of tea costs 4.50.",
]); // in place of a real one
const agent = createAgent({ model, tools: mcp.tools });
console.log(transcript(await agent.invoke({ messages: "What does tea cost?" })));
await mcp.close();
server.close();
