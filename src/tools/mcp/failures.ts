import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { messageOf } from "../../base/message-of.js";
import { inOneLine, shorten } from "../../base/shorten.js";
import { type HttpTransport, STREAM_ENDED } from "./http-transport.js";
import { StdioTransport } from "./stdio-transport.js";

/** Returns the server's words if an error is its own answer to a request. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof McpError) || error.message.includes(STREAM_ENDED)) return undefined;
  return error.message.replace(/^(?:MCP error -?\d+: )+/, "");
}

/** Tells whether an HTTP server has forgotten the session, for example because it was started anew. */
export function isSessionLost(error: unknown): boolean {
  return error instanceof StreamableHTTPError && error.code === 404;
}

/** Tells whether a server's answer has a wrong form. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof z.core.$ZodError;
}

/**
 * Says in words why a server gave no answer, as the end of a sentence.
 *
 * @param timeoutMs The time limit of the request, if the SDK kept it.
 */
export function describeFailure(transport: StdioTransport | HttpTransport, error: unknown, timeoutMs?: number): string {
  if (transport instanceof StdioTransport && transport.end !== undefined)
    return `it ended (${transport.describeEnd()})`;
  if (isUnreadable(error)) return "its answer has a form that MCP does not know";
  if (timeoutMs !== undefined && error instanceof McpError && error.code === ErrorCode.RequestTimeout) {
    return `it did not answer within ${timeoutMs / 1_000} s`;
  }
  if (error instanceof StreamableHTTPError) return describeStatus(error.code);
  const words = shorten(inOneLine(describeError(error)), 300);
  return words.includes(STREAM_ENDED) ? STREAM_ENDED : `the connection failed: ${words}`;
}

function describeStatus(status: number | undefined): string {
  const hint = status === 401 || status === 403 ? "; check its headers" : status === 404 ? "; check its url" : "";
  return `it answered with HTTP ${status}${hint}`;
}

function describeError(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? `${messageOf(error)} (${cause.message})` : messageOf(error);
}
