import { setMaxListeners } from "node:events";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { McpServerError } from "../../base/errors.js";
import { keepSecretsIn, keepSecretsOfAddress } from "../../base/secrets/known-secrets.js";
import { type CallResult, callResultSchema } from "./content-blocks.js";
import { describeFailure, isSessionLost, isUnreadable, refusalOf } from "./failures.js";
import { HttpTransport } from "./http-transport.js";
import type { CheckedServer } from "./servers.js";
import { StdioTransport } from "./stdio-transport.js";
import { changedParts, type ToolDefinition, toolDefinitionSchema } from "./tool-definition.js";

/** The longest times to wait for a server, in milliseconds. */
export interface TimeLimits {
  readonly connectTimeoutMs: number;
  readonly listTimeoutMs: number;
  readonly callTimeoutMs: number;
}

/** What became of a call. */
export type CallOutcome =
  | { readonly kind: "result"; readonly result: CallResult }
  /** The server refused the call. */
  | { readonly kind: "refused"; readonly reason: string }
  /** The call was not made: the tool is not what it was, or the server cannot be reached. */
  | { readonly kind: "not-made"; readonly reason: string; readonly isSessionLost?: true }
  /** The call was made, and the server gave no result. */
  | { readonly kind: "no-result"; readonly reason: string };

interface OpenConnection {
  readonly client: Client;
  readonly transport: StdioTransport | HttpTransport;
  /** The calls under way. */
  readonly calls: Set<Promise<unknown>>;
  /** Whether the next call has to connect anew. */
  isOver: boolean;
  /** The comparison of the server's tools with the first ones; undefined when it has to be made again. */
  compared: Promise<void> | undefined;
  /** The tools that are no longer what they were, each with the reason. */
  changed: ReadonlyMap<string, string>;
}

/** The name and version by which servers know us. */
export const clientInfo = { name: "glassloop", version: "0.1.0" };

const listSchema = z.object({ tools: z.array(toolDefinitionSchema), nextCursor: z.string().nullish() });

/** The longest time for the answer to the question whether a server is still alive. */
const PING_MS = 2_000;

/** The longest time that a timer of Node.js can take. The SDK has a limit of its own, which must not come first. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * The connection to one MCP server. It is made when it is first needed. If the server dies or hangs, the next call
 * connects anew. The tools are those of the first connection: a later one that offers others is refused for them.
 */
export class ServerConnection {
  #opened: Promise<OpenConnection> | undefined;
  #tools: readonly ToolDefinition[] | undefined;

  constructor(
    readonly name: string,
    readonly server: CheckedServer,
    readonly limits: TimeLimits,
  ) {
    keepSecretsIn({ ...server });
    if ("url" in server) keepSecretsOfAddress(server.url);
  }

  /**
   * Lists the tools that the server had at first.
   *
   * @throws {McpServerError} if the server cannot be reached, or its list cannot be read.
   */
  async listTools(): Promise<readonly ToolDefinition[]> {
    await this.#ready();
    return this.#tools ?? [];
  }

  /**
   * Calls a tool. A session that an HTTP server no longer knows is replaced, and the call made again: it was not carried
   * out.
   *
   * @param signal Cancels the call at the server.
   * @throws the reason of the signal, if it is aborted.
   */
  async callTool(tool: string, args: Record<string, unknown>, signal: AbortSignal | undefined): Promise<CallOutcome> {
    const outcome = await this.#tryCall(tool, args, signal);
    return "isSessionLost" in outcome ? this.#tryCall(tool, args, signal) : outcome;
  }

  /** Ends the connection, and with it the server's process. A later call connects anew. */
  async close(): Promise<void> {
    const connection = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    await connection?.client.close();
  }

  async #tryCall(tool: string, args: Record<string, unknown>, signal: AbortSignal | undefined): Promise<CallOutcome> {
    let connection: OpenConnection;
    try {
      connection = await this.#ready();
      if (connection.changed.has(tool)) connection = await this.#ready("anew");
    } catch (error) {
      if (!(error instanceof McpServerError)) throw error;
      return { kind: "not-made", reason: error.reason };
    }
    const reason = connection.changed.get(tool);
    if (reason !== undefined) return { kind: "not-made", reason };
    signal?.throwIfAborted();
    return this.#request(connection, { name: tool, arguments: args }, signal);
  }

  async #request(
    connection: OpenConnection,
    params: { name: string; arguments: Record<string, unknown> },
    signal: AbortSignal | undefined,
  ): Promise<CallOutcome> {
    // The SDK never lets go of a signal, and would cancel calls that have long ended.
    const call = new AbortController();
    const abort = () => call.abort(signal?.reason);
    signal?.addEventListener("abort", abort);
    const timeout = new Error("the time limit of the call");
    const timer = setTimeout(() => call.abort(timeout), this.limits.callTimeoutMs);
    const options = { signal: call.signal, timeout: NEVER_MS };
    const answer = connection.client.request({ method: "tools/call", params }, callResultSchema, options);
    connection.calls.add(answer);
    try {
      return { kind: "result", result: await answer };
    } catch (error) {
      signal?.throwIfAborted();
      return call.signal.reason === timeout ? await this.#timedOut(connection) : failed(connection, error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      connection.calls.delete(answer);
    }
  }

  /** Ends the connection to a server that does not even answer a ping. */
  async #timedOut(connection: OpenConnection): Promise<CallOutcome> {
    const reason = `it did not answer within ${this.limits.callTimeoutMs / 1_000} s, and the call was cancelled`;
    try {
      await connection.client.ping({ timeout: PING_MS });
      return { kind: "no-result", reason };
    } catch {
      connection.isOver = true;
      await connection.client.close();
      return { kind: "no-result", reason: `${reason}; it hangs, and is connected anew at the next call` };
    }
  }

  /** Returns a connection whose tools have been compared with the first ones. */
  async #ready(compare?: "anew"): Promise<OpenConnection> {
    const connection = await this.#connect();
    if (compare === "anew") connection.compared = undefined;
    connection.compared ??= this.#compareTools(connection);
    try {
      await connection.compared;
      return connection;
    } catch (cause) {
      leave(connection);
      const reason = describeFailure(connection.transport, cause, this.limits.listTimeoutMs);
      throw new McpServerError(this.name, `did not list its tools: ${reason}`, { cause });
    }
  }

  async #connect(): Promise<OpenConnection> {
    this.#opened ??= this.#open();
    const opening = this.#opened;
    const connection = await opening.catch(() => undefined);
    if (connection?.isOver === false) return connection;
    if (this.#opened === opening) this.#opened = undefined;
    return connection === undefined ? opening : this.#connect();
  }

  async #open(): Promise<OpenConnection> {
    const transport = "url" in this.server ? new HttpTransport(this.server) : new StdioTransport(this.server);
    const client = new Client(clientInfo);
    const connection: OpenConnection = {
      client,
      transport,
      calls: new Set(),
      isOver: false,
      compared: undefined,
      changed: new Map(),
    };
    client.onclose = () => {
      connection.isOver = true;
    };
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      connection.compared = undefined;
    });
    try {
      await client.connect(transport, { timeout: this.limits.connectTimeoutMs });
      return connection;
    } catch (cause) {
      const reason = describeFailure(transport, cause, this.limits.connectTimeoutMs);
      await transport.close();
      throw new McpServerError(this.name, `cannot be used: ${reason}`, { cause });
    }
  }

  async #compareTools(connection: OpenConnection): Promise<void> {
    const tools = await this.#list(connection);
    this.#tools ??= tools;
    const now = new Map(tools.map((tool) => [tool.name, tool]));
    connection.changed = new Map(
      this.#tools.flatMap((first) => {
        const tool = now.get(first.name);
        if (tool === undefined) return [[first.name, "the server no longer offers it"]];
        const parts = changedParts(first, tool);
        return parts.length === 0 ? [] : [[first.name, `the server has changed its ${parts.join(", ")}`]];
      }),
    );
  }

  async #list({ client }: OpenConnection): Promise<ToolDefinition[]> {
    if (client.getServerCapabilities()?.tools === undefined) return [];
    const signal = AbortSignal.timeout(this.limits.listTimeoutMs);
    // The client leaves a listener for each page. Node.js warns of more than ten.
    setMaxListeners(0, signal);
    const options = { signal, timeout: NEVER_MS };
    const tools: ToolDefinition[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.request({ method: "tools/list", params: { cursor } }, listSchema, options);
      tools.push(...page.tools);
      cursor = page.nextCursor || undefined;
    } while (cursor !== undefined);
    return tools;
  }
}

function failed(connection: OpenConnection, error: unknown): CallOutcome {
  const { client, transport } = connection;
  const refusal = client.transport === undefined ? undefined : refusalOf(error);
  if (refusal !== undefined) return { kind: "refused", reason: refusal };
  const reason = describeFailure(transport, error);
  if (isUnreadable(error)) return { kind: "no-result", reason };
  leave(connection);
  return isSessionLost(error) ? { kind: "not-made", reason, isSessionLost: true } : { kind: "no-result", reason };
}

/** Lets the next call connect anew. The other calls under way may still get their results. */
function leave(connection: OpenConnection): void {
  connection.isOver = true;
  void Promise.allSettled(connection.calls).then(() => connection.client.close());
}
