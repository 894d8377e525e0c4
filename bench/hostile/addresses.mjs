// Addresses and chains of redirects that lead to a place that is not public. No request may arrive there.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import { webSearch } from "../../dist/tools/index.js";
import { getFromWeb } from "../../dist/tools/web/get-from-web.js";
import { allowing } from "../../dist/tools/web/web-address.js";

/** A public address that nobody has, so that nothing leaves the machine. */
const nobody = { address: "2d00::1", family: 6 };
const ipv4 = (address) => ({ address, family: 4 });
const ipv6 = (address) => ({ address, family: 6 });

/** What the names of the chains stand for: the answers of a resolver, one after the other. The last one stays. */
const names = {
  "inside.test": [[ipv4("127.0.0.1")]],
  "six.test": [[ipv6("::1")]],
  "mapped.test": [[ipv6("::ffff:127.0.0.1")]],
  "any.test": [[ipv4("0.0.0.0")]],
  "two.test": [[nobody, ipv4("127.0.0.1")]],
  "turning.test": [[nobody], [ipv4("127.0.0.1")]],
  "metadata.google.internal": [[ipv4("169.254.169.254")]],
  localhost: [[ipv4("127.0.0.1")]],
};

const hosts = [
  ...Object.keys(names),
  ..."127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 0 0.0.0.0 127.8.9.10 127.0.0.1.".split(
    " ",
  ),
  ..."127。0。0。1 ①②⑦.⓪.⓪.① １２７.1 LOCALHOST inSide.test ⓘnside.test %31%32%37.0.0.1 169.254.169.254".split(" "),
  ..."[::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::127.0.0.1]".split(" "),
  ..."[2002:7f00:1::] [fe80::1] [fd00:ec2::254] [::ffff:169.254.169.254]".split(" "),
  ...Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(
      ({ family, internal, address }) =>
        family === "IPv4" && !internal && /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./.test(address),
    )
    .map(({ address }) => address),
];

const wrongOnes = [
  "file:///etc/passwd",
  "ftp://HOST/",
  "gopher://HOST/",
  "javascript:fetch('http://HOST/')",
  "http://a:b@HOST/",
];
wrongOnes.push(
  "//HOST/",
  "http:HOST/",
  "http:\\\\HOST\\",
  "http://open.test@HOST/",
  "http://HOST/\t",
  "  http://HOST/  ",
  "HTTP://HOST",
);

/** Follows chains by `fetchPage`'s way to the web and by a web search. Counts what arrives, and what is tried. */
export async function addresses(chance, report, count = 300) {
  const figures = { arrived: 0, byFetch: 0, tried: 0, unrefused: 0, lost: 0, open: 0 };
  const steps = [];
  const open = await serve((request, response) => {
    const { status, location, page } = steps[Number.parseInt(request.url.slice(1), 10)] ?? {};
    if (page) response.writeHead(200, { "content-type": "text/plain" }).end(page);
    else response.writeHead(status ?? 404, location && { location: Buffer.from(location).toString("latin1") }).end();
  });
  let guest = "arrived";
  const closed = await serve((_request, response) => {
    figures[guest] += 1;
    response.writeHead(200, { "content-type": "application/json" }).end('{"results":[]}');
  }, "::");
  const watch = ({ socket }) =>
    socket.on("connectionAttempt", (address, port) => {
      if (guest === "arrived" && !(address === "127.0.0.1" && port === open.port) && address !== nobody.address)
        figures.tried += 1;
    });
  subscribe("net.client.socket", watch);
  const isAllowed = allowing([`127.0.0.1:${open.port}`]);
  try {
    for (let number = 0; number < count; number += 1) {
      const { start, isOpen } = makeChain(chance, steps, open.port, closed.port);
      const asked = {};
      const resolve = async (name) => {
        const answers = names[name] ?? [[ipv4("127.0.0.1")]];
        asked[name] = (asked[name] ?? -1) + 1;
        return answers[Math.min(asked[name], answers.length - 1)];
      };
      const ended = await getFromWeb(start, { isAllowed, maxBytes: 1000, resolve }, AbortSignal.timeout(500)).catch(
        (error) => error,
      );
      const isFetched = !(ended instanceof Error);
      if (isOpen) figures.open += 1;
      if (isOpen && !isFetched) figures.lost += 1;
      if (!isOpen && isFetched) {
        figures.unrefused += 1;
        report.note(`not refused: ${start} ended at ${ended.url}`);
      }
      if (start.startsWith(`http://127.0.0.1:${open.port}/`)) {
        await webSearch({ provider: "searxng", baseUrl: start, timeoutMs: 500 })
          .invoke({ query: "a" })
          .catch(() => {});
      }
      guest = "byFetch";
      await fetch(start, { signal: AbortSignal.timeout(500) })
        .then((response) => response.text())
        .catch(() => {});
      guest = "arrived";
    }
  } finally {
    unsubscribe("net.client.socket", watch);
    open.close();
    closed.close();
  }
  report.figure("requests that arrived at a closed place", figures.arrived, 0);
  report.figure("connections that were tried to a closed address", figures.tried, 0);
  report.figure("chains to a closed place that were not refused", figures.unrefused, 0);
  report.figure(`of ${figures.open} chains to an open page not fetched`, figures.lost, 0);
  report.figure("for comparison: requests that arrived by plain fetch", figures.byFetch);
}

/** A chain begins at a closed place, or at an open one that leads on, once or up to seven times. */
function makeChain({ number, whole, pick }, steps, openPort, closedPort) {
  const isOpen = number() < 0.15;
  const host = `${pick(hosts)}:${closedPort}`;
  const step = (content) => `http://127.0.0.1:${openPort}/${steps.push(content) - 1}/`;
  const closedEnd = number() < 0.3 ? pick(wrongOnes).replace("HOST", host) : `http://${host}/latest/meta-data/`;
  let start = isOpen ? step({ page: "open" }) : closedEnd;
  for (let redirects = whole(isOpen ? 6 : 7); redirects > 0; redirects -= 1) {
    const location = number() < 0.3 ? start.replace(`http://127.0.0.1:${openPort}`, "") : start;
    start = step({ status: pick([301, 302, 303, 307, 308]), location });
  }
  return { start, isOpen };
}

async function serve(answer, host = "127.0.0.1") {
  const server = createServer(answer).listen(0, host);
  await once(server, "listening");
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port: server.address().port, close };
}
