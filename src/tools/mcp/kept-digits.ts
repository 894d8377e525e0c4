import { Duplex, Transform } from "node:stream";
import { quotedDigits } from "../../base/digits.js";

/**
 * Makes a transform of what a server writes, of which each line has a message. Long integers in a result with structured content
 * become texts of their digits, as the SDK would round them. In the definition of a tool such a number is a limit, and stays one.
 *
 * @param longest The most characters of a line. The SDK does not see a line that has no end.
 */
export function keptDigits(longest = Infinity): Transform {
  const decoder = new TextDecoder();
  let rest = "";
  return new Transform({
    transform(bytes, _encoding, done) {
      const text = rest + decoder.decode(bytes, { stream: true });
      const end = text.lastIndexOf("\n") + 1;
      rest = text.slice(end);
      done(rest.length > longest ? new Error("A line exceeded maximum size.") : null, quoted(text.slice(0, end)));
    },
    flush: (done) => done(null, quoted(rest)),
  });
}

function quoted(lines: string): string {
  return lines.replaceAll(/^.*"structuredContent"\s*:.*$/gm, (line) => quotedDigits(line));
}

/** Is `fetch` that keeps the digits in what an MCP server answers. */
export async function fetchWithDigits(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  const body = response.ok && response.body?.pipeThrough(Duplex.toWeb(keptDigits()));
  return body ? new Response(body, response) : response;
}
