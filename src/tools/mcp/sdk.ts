/** The name and version by which servers know us. */
export const clientInfo = { name: "glassloop", version: "0.1.0" };

/** The parts of MCP's SDK that are used here. */
type McpSdk = typeof import("@modelcontextprotocol/sdk/client/index.js") &
  typeof import("@modelcontextprotocol/sdk/client/stdio.js") &
  typeof import("@modelcontextprotocol/sdk/client/streamableHttp.js") &
  typeof import("@modelcontextprotocol/sdk/server/stdio.js") &
  typeof import("@modelcontextprotocol/sdk/shared/stdio.js") &
  typeof import("@modelcontextprotocol/sdk/types.js");

const parts = [
  "client/index.js",
  "client/stdio.js",
  "client/streamableHttp.js",
  "server/stdio.js",
  "shared/stdio.js",
  "types.js",
];

/** The SDK. Who uses it is imported after {@link loadMcpSdk}. */
export let sdk: McpSdk;

/** Loads the SDK by name, so that no bundler looks for it: it need not be installed. */
export async function loadMcpSdk(): Promise<void> {
  const load = (part: string) =>
    import(/* webpackIgnore: true */ /* @vite-ignore */ `@modelcontextprotocol/sdk/${part}`);
  sdk = Object.assign({}, ...(await Promise.all(parts.map(load))));
}
