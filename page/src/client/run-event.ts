import type { TurnEvent } from "../wire.js";

/** What the stream of a thread tells of one of its runs. */
export type RunEvent = { readonly run: string } & (
  | { readonly type: "begun" }
  | { readonly type: "told"; readonly event: TurnEvent }
  | { readonly type: "ended"; readonly error?: string }
);

/** An event of version 2 of LangGraph's protocol. */
interface Sent {
  readonly event_id: string;
  readonly method: string;
  readonly params: { readonly namespace: readonly string[]; readonly data: Readonly<Record<string, unknown>> };
}

/** Reads an event of a thread's stream; undefined if it tells nothing of a turn. */
export function readRunEvent(json: string): RunEvent | undefined {
  const { event_id, method, params }: Sent = JSON.parse(json);
  const [, run] = /^synth:(.+):\d+\.\d+$/.exec(event_id) ?? [];
  if (run === undefined) return undefined;
  const { namespace, data } = params;
  if (method === "custom") {
    // An event with a name of its own, such as an error, is not wrapped.
    const event = "payload" in data ? data.payload : data;
    return isTurnEvent(event) ? { run, type: "told", event } : undefined;
  }
  if (method !== "lifecycle" || namespace.length > 0) return undefined;
  if (data.event === "running") return { run, type: "begun" };
  // Before the words stands the name of the error.
  const error = typeof data.error === "string" && { error: data.error.replace(/^\w+: /, "") };
  return { run, type: "ended", ...error };
}

/** Tools may write to the stream, too. */
function isTurnEvent(value: unknown): value is TurnEvent {
  if (typeof value !== "object" || value === null) return false;
  const { type, turn, path } = Object.assign<Record<string, unknown>, object>({}, value);
  return typeof type === "string" && typeof turn === "string" && Array.isArray(path);
}
