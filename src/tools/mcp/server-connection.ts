import { addAbortListener } from "node:events";
import { isDeepStrictEqual } from "node:util";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { z } from "zod";
import { McpServerError } from "../../base/errors.js";
import { isRecord } from "../../base/is-record.js";
import { messageOf } from "../../base/message-of.js";
import { keepSecretsIn, keepSecretsOfAddress } from "../../base/secrets/known-secrets.js";
import { inOneLine, shorten } from "../../base/shorten.js";
import { type CallResult, callResultSchema } from "./content-blocks.js";
import type { McpProcess, McpWebServer } from "./mcp-file.js";
import { changedParts, type ToolDefinition, toolDefinitionSchema } from "./pinned-tools.js";
import { clientInfo, sdk } from "./sdk.js";
import { HttpTransport, StdioTransport } from "./transports.js";

const { ErrorCode, McpError, StreamableHTTPError, ToolListChangedNotificationSchema } = sdk;

/** The longest times to wait for a server, in milliseconds. */
export interface TimeLimits {
  readonly connectTimeoutMs: number;
  readonly listTimeoutMs: number;
  readonly callTimeoutMs: number;
}

/** A tool that is called: its name for models, whether a call must not be repeated, and what it was at first. */
interface CalledTool {
  readonly name: string;
  readonly effects: boolean;
  readonly definition: ToolDefinition;
}

interface Session {
  readonly client: Client;
  readonly transport: StdioTransport | HttpTransport;
  readonly opened: Promise<void>;
  /** The tools that the server has now; undefined when they have to be listed anew. */
  tools: Promise<readonly ToolDefinition[]> | undefined;
}

const listSchema = z.object({ tools: z.array(toolDefinitionSchema), nextCursor: z.string().nullish() });

/** The longest time for the answer to the question whether a server is still alive. */
const PING_MS = 2_000;

/**
 * The connection to one MCP server. It is made when it is first needed. If the server dies or hangs, the next call
 * connects anew.
 */
export class ServerConnection {
  #session: Session | undefined;

  constructor(
    readonly name: string,
    readonly server: McpProcess | McpWebServer,
    readonly limits: TimeLimits,
  ) {
    keepSecretsIn({ ...server });
    if ("url" in server) keepSecretsOfAddress(server.url);
  }

  /**
   * Lists the tools of the server.
   *
   * @throws {McpServerError} if the server cannot be reached, or its list cannot be read.
   */
  async listTools(): Promise<readonly ToolDefinition[]> {
    return this.#toolsOf(this.#current());
  }

  /**
   * Calls a tool, if it still is what it was. A session that an HTTP server no longer knows is replaced, and the call
   * made again: it was not carried out.
   *
   * @param signal Cancels the call at the server.
   * @returns The result. A failure is a result with `isError`, which tells the model what happened and what to do.
   * @throws the reason of the signal, if it is aborted.
   */
  async callTool(
    called: CalledTool,
    args: Record<string, unknown>,
    signal: AbortSignal | undefined,
    isRepeated = false,
  ): Promise<CallResult> {
    const session = this.#current();
    // The SDK never lets go of a signal, and would cancel calls that have long ended.
    const call = new AbortController();
    using _listener = signal && addAbortListener(signal, () => call.abort(signal.reason));
    try {
      const change = describeChange(called.definition, await this.#toolsOf(session));
      if (change !== undefined) return this.#notMade(called, change);
      const request = { method: "tools/call", params: { name: called.definition.name, arguments: args } };
      const options = { signal: call.signal, timeout: this.limits.callTimeoutMs };
      return await session.client.request(request, callResultSchema, options);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof McpServerError) return this.#notMade(called, error.reason);
      if (!isSessionLost(error)) return this.#failed(called, session, error);
      await this.#leave(session);
      if (isRepeated) return this.#notMade(called, describeFailure(session, error));
    }
    return this.callTool(called, args, signal, true);
  }

  /** Ends the connection, and with it the server's process. A later call connects anew. */
  async close(): Promise<void> {
    if (this.#session !== undefined) await this.#leave(this.#session);
  }

  async #failed({ name, effects }: CalledTool, session: Session, error: unknown): Promise<CallResult> {
    const { client } = session;
    let reason = describeFailure(session, error, this.limits.callTimeoutMs);
    if (isTimeLimit(error)) {
      reason += ", and the call was cancelled";
      if (!(await isAlive(client))) reason += "; it hangs, and is connected again at the next call";
    } else if (error instanceof McpError && client.transport !== undefined) {
      const words = error.message.replace(/^(?:MCP error -?\d+: )+/, "");
      const advice = "Call it with another input, or use another tool.";
      return failure(`The MCP server "${this.name}" refused the call of ${name}: ${words}. ${advice}`);
    }
    const checkFirst = `It is not known whether the call took effect. Check that first, and call ${name} again only if it did not.`;
    const advice = effects ? checkFirst : `Call ${name} once more, or use another tool.`;
    return failure(`${name} gave no result. The MCP server "${this.name}": ${reason}. ${advice}`);
  }

  #notMade({ name }: CalledTool, reason: string): CallResult {
    const advice = "Use another tool, or tell the user in the final answer that this one cannot be used now.";
    return failure(`${name} was not called. The MCP server "${this.name}": ${reason}. ${advice}`);
  }

  #current(): Session {
    if (this.#session !== undefined) return this.#session;
    const client = new sdk.Client(clientInfo);
    const transport = "url" in this.server ? new HttpTransport(this.server) : new StdioTransport(this.server);
    const opened = client.connect(transport, { timeout: this.limits.connectTimeoutMs });
    const session: Session = { client, transport, opened, tools: undefined };
    client.onclose = () => this.#leave(session);
    // The SDK waits for a response that broke off until the time limit, even if its server is gone.
    client.onerror = ({ message }) => {
      if (message.startsWith("SSE stream disconnected")) void isAlive(client);
    };
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      session.tools = undefined;
    });
    this.#session = session;
    return session;
  }

  /** Lets the next call connect anew. */
  async #leave(session: Session): Promise<void> {
    if (this.#session === session) this.#session = undefined;
    await session.client.close();
  }

  async #toolsOf(session: Session): Promise<readonly ToolDefinition[]> {
    session.tools ??= this.#list(session);
    try {
      return await session.tools;
    } catch (cause) {
      session.tools = undefined;
      const isOpen = session.client.getServerCapabilities() !== undefined;
      const timeoutMs = isOpen ? this.limits.listTimeoutMs : this.limits.connectTimeoutMs;
      const reason = describeFailure(session, cause, timeoutMs);
      if (!isOpen || isSessionLost(cause)) await this.#leave(session);
      const what = isOpen ? "did not list its tools" : "cannot be used";
      throw new McpServerError(this.name, `${what}: ${reason}`, { cause });
    }
  }

  async #list({ client, opened }: Session): Promise<ToolDefinition[]> {
    await opened;
    if (client.getServerCapabilities()?.tools === undefined) return [];
    const timeout = this.limits.listTimeoutMs;
    const limit = AbortSignal.timeout(timeout);
    const tools: ToolDefinition[] = [];
    const asked = new Set<string | undefined>();
    let cursor: string | undefined;
    do {
      asked.add(cursor);
      const request = { method: "tools/list", params: { cursor } };
      // The client leaves a listener for each page, and Node.js warns of many at one signal.
      const page = await client.request(request, listSchema, { signal: AbortSignal.any([limit]), timeout });
      const before = tools.length;
      for (const tool of page.tools) if (!tools.some((known) => isDeepStrictEqual(known, tool))) tools.push(tool);
      // Some servers repeat a cursor. Others count on, and repeat their tools.
      const isRepeated = page.tools.length > 0 && tools.length === before;
      cursor = (!isRepeated && page.nextCursor) || undefined;
    } while (cursor !== undefined && !asked.has(cursor));
    return tools;
  }
}

/** Says how a tool is no longer what it was at first; undefined if it is. */
function describeChange(first: ToolDefinition, tools: readonly ToolDefinition[]): string | undefined {
  const now = tools.find(({ name }) => name === first.name);
  if (now === undefined) return "the server no longer offers it";
  const parts = changedParts(first, now);
  return parts.length === 0 ? undefined : `the server has changed its ${parts.join(", ")}`;
}

function failure(text: string): CallResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** Asks whether a server is alive, and ends the connection to one that does not say so. */
async function isAlive(client: Client): Promise<boolean> {
  try {
    await client.ping({ timeout: PING_MS });
    return true;
  } catch {
    await client.close();
    return false;
  }
}

/** Tells whether an error is the SDK's for a time limit. A server can answer with its code, but has no such data. */
function isTimeLimit(error: unknown): boolean {
  return error instanceof McpError && error.code === ErrorCode.RequestTimeout && isRecord(error.data);
}

/** Tells whether an HTTP server has forgotten the session, for example because it was started anew. */
function isSessionLost(error: unknown): boolean {
  return error instanceof StreamableHTTPError && error.code === 404;
}

/**
 * Says in words why a server gave no answer, as the end of a sentence.
 *
 * @param timeoutMs The time limit of the request.
 */
function describeFailure({ transport }: Session, error: unknown, timeoutMs = 0): string {
  if (transport instanceof StdioTransport && transport.end !== undefined) return `it ended (${transport.end})`;
  if (error instanceof z.core.$ZodError) return "its answer has a form that MCP does not know";
  if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) {
    return `it did not answer within ${timeoutMs / 1_000} s`;
  }
  if (error instanceof StreamableHTTPError) {
    const hint = { 401: "; check its headers", 403: "; check its headers", 404: "; check its url" }[error.code ?? 0];
    return `it answered with HTTP ${error.code}${hint ?? ""}`;
  }
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return `the connection failed: ${shorten(inOneLine(messageOf(error) + cause), 300)}`;
}
