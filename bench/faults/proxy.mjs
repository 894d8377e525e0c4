// A proxy between one process and the database server: a network that can stall and break.
import { once } from "node:events";
import { connect, createServer } from "node:net";

/**
 * Starts the proxy.
 *
 * @param {string} url The server's address.
 * @returns {Promise<{ url: string, stall: () => void, goOn: () => void, cut: () => void, close: () => void }>}
 */
export async function startProxy(url) {
  const target = new URL(url);
  const sockets = new Set();
  let isStalled = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(from);
      from.on("data", (data) => to.write(data)).on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      if (isStalled) from.pause();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: addressOf(target, server.address().port),
    stall() {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    goOn() {
      isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    cut,
    close() {
      server.close();
      cut();
    },
  };
}

function addressOf(target, port) {
  const near = new URL(target);
  near.host = `127.0.0.1:${port}`;
  return near.href;
}
