// A server that plays a model which never stops: it streams a word every 20 ms, and notes when its connections close.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** @returns {Promise<{ url: string, nextClosed: () => Promise<number>, close: () => void }>} `nextClosed` resolves to the time. */
export async function startEndlessModel() {
  let tell = () => {};
  const server = createServer(async (request, response) => {
    request.resume();
    let isOpen = true;
    response.on("close", () => {
      isOpen = false;
      tell(performance.now());
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    while (isOpen) {
      response.write(chunk({ role: "assistant", content: "and " }));
      await sleep(20);
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    nextClosed: () =>
      new Promise((resolve) => {
        tell = resolve;
      }),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function chunk(delta) {
  const frame = { id: "1", object: "chat.completion.chunk", created: 1, model: "slow" };
  return `data: ${JSON.stringify({ ...frame, choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
}
