import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { POST } from "./route.js";

/** Serves the route at `/api/chat`, as a server of Node does, and a page at each other address. */
export async function serve(page = ""): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer(async (incoming, outgoing) => {
    if (incoming.url !== "/api/chat") return outgoing.setHeader("content-type", "text/html").end(page);
    const left = new AbortController();
    outgoing.on("close", () => left.abort());
    const body = await text(incoming);
    const response = await POST(new Request("http://localhost", { method: "POST", body, signal: left.signal }));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    const reader = response.body?.getReader();
    for (let read = await reader?.read(); read?.value; read = await reader?.read()) outgoing.write(read.value);
    outgoing.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${address.port}`, close };
}
