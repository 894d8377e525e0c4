// Pages of 2 MB that are made to take long. They are fetched and read.
import { once } from "node:events";
import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { gzipSync } from "node:zlib";
import { fetchPage } from "../../dist/tools/index.js";
import { bestOf } from "./best-of.mjs";

const size = 2_000_000;
const longestBlockMs = 50;
/** Five seconds for reading, and some for fetching on a busy machine. */
const longestMs = 8_000;

const pieces =
  '<div> </div> <p> <b> <i> <a href=x> </a> <table> <tr> <td> <ul> <li> <script> </script> <style> <!-- --> < > & &amp; &# <svg> <math> <select> <option> <form> <template> <title> </body> <plaintext> <![CDATA[ ]]> <p/ </ <p/a=1 <p/a=" " \' = a word 漢'.split(
    " ",
  );
pieces.push(
  " ",
  "\n",
  "\0",
  "\u2028",
  "\ud83d",
  "<!doctype html>",
  "<p style='display:none'>",
  "<a><b><p>",
  "</p></b></a>",
);

/** Fetches pages of some pieces again and again. Measures the time, and whether the event loop stops. */
export async function pages({ whole, pick }, report, count = 60) {
  const figures = { late: 0, failed: 0, longest: 0, block: 0 };
  let page = Buffer.alloc(0);
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" }).end(page);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `127.0.0.1:${server.address().port}`;
  const tool = fetchPage({ allow: [address] });
  const some = (most) => Array.from({ length: 1 + whole(most) }, () => pick(pieces)).join("");
  for (let number = 0; number < count; number += 1) {
    const [start, part] = [some(4), some(6)];
    page = gzipSync(`<p>beginning</p>${start}${part.repeat(size / part.length)}`.slice(0, size));
    const measured = await bestOf(
      () => fetchedIn(tool, `http://${address}/`),
      ({ block }) => block > longestBlockMs,
    );
    if (measured.time > longestMs)
      report.note(`late: ${JSON.stringify([start, part])} ${Math.round(measured.time)} ms`);
    if (!measured.isRead) report.note(`not read: ${JSON.stringify([start, part])}`);
    figures.late += measured.time > longestMs ? 1 : 0;
    figures.failed += measured.isRead ? 0 : 1;
    figures.longest = Math.max(figures.longest, measured.time);
    if (measured.block > longestBlockMs)
      report.note(`blocks ${Math.round(measured.block)} ms: ${JSON.stringify([start, part])}`);
    figures.block = Math.max(figures.block, measured.block);
  }
  server.close();
  report.figure("pages that took too long", figures.late, 0);
  report.figure("pages without a text", figures.failed, 0);
  report.figure("the longest stop of the event loop, in ms", Math.round(figures.block), longestBlockMs);
  report.figure("the longest time of a page, in ms", Math.round(figures.longest));
}

async function fetchedIn(tool, url) {
  await new Promise((resolve) => setTimeout(resolve, 20));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  const text = await tool.invoke({ url }).catch(String);
  const time = performance.now() - start;
  delay.disable();
  return { time, block: delay.max / 1e6, isRead: text.includes("beginning") };
}
