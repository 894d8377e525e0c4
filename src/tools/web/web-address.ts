import { ToolError } from "../../base/errors.js";
import { inOneLine, shorten } from "../../base/shorten.js";

const longestAddress = 2000;

/**
 * Reads an address of the web.
 *
 * @param base The page that leads to the address.
 * @throws {ToolError} "web-page-failed" if it is none that can be fetched.
 */
export function readWebAddress(text: string, base?: URL): URL {
  if (text.length > longestAddress) throw notFetched(text, `its address has more than ${longestAddress} characters`);
  if (!URL.canParse(text, base?.href)) {
    throw notFetched(text, "this is no address. Give a whole one, such as https://example.org/page");
  }
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw notFetched(text, "only addresses that begin with http:// or https:// can be fetched");
  }
  if (url.username || url.password) throw notFetched(text, "an address with a user or a password is not fetched");
  return url;
}

/**
 * Makes the error for a page that cannot be fetched or read.
 *
 * @param status The HTTP status, if the server refused.
 */
export function notFetched(address: string, reason: string, status?: number): ToolError {
  return new ToolError("web-page-failed", `Cannot fetch ${shorten(inOneLine(address), 200)}: ${reason}.`, status);
}

/** Returns the host of an address without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** Tells whether a text names a host, or a host and a port, such as `wiki.example` or `127.0.0.1:8080`. */
export function isPlace(text: string): boolean {
  return !/[/\\?#@\s]/.test(text) && URL.canParse(`http://${text}`);
}

/**
 * Makes the rule for places that are allowed, whatever their IP address is. A place without a port stands for the ports 80 and
 * 443.
 */
export function allowing(places: readonly string[]): (url: URL) => boolean {
  const allowed = new Set(places.flatMap(portsOf));
  return ({ hostname, port, protocol }) => allowed.has(`${hostname}:${port || (protocol === "https:" ? "443" : "80")}`);
}

function portsOf(place: string): readonly string[] {
  const { hostname } = new URL(`http://${place}`);
  const port = /:(\d+)$/.exec(place)?.[1];
  return port === undefined ? [`${hostname}:80`, `${hostname}:443`] : [`${hostname}:${Number(port)}`];
}
