import type { Context } from "hono";
import { stream } from "hono/streaming";
import { hasCode } from "../../base/errors.js";
import type { RunEvent } from "../engine/run-engine.js";
import { errorForm } from "../wire/error-response.js";
import { wireJson } from "../wire/wire-json.js";

/** The time between two signs of life on a response whose body is still to come, in milliseconds. */
const HEARTBEAT_MS = 15_000;

/**
 * Answers with the last values of a run when the run has ended: its state, what it asks a person, or its error. White space
 * goes before, so that proxies keep the connection.
 *
 * @param state Reads the state that the run left, for a run that recorded no values.
 */
export function finalValues(
  context: Context,
  events: (signal: AbortSignal) => AsyncIterable<RunEvent>,
  state: () => Promise<unknown>,
): Response {
  context.header("Content-Type", "application/json");
  return stream(context, async (body) => {
    const reader = new AbortController();
    body.onAbort(() => reader.abort());
    const heartbeat = setInterval(() => void body.write("\n"), HEARTBEAT_MS);
    let last: string | undefined;
    try {
      for await (const { event, json } of events(reader.signal)) {
        if (event === "values") last = json;
        if (event === "error") last = `{"__error__":${json}}`;
      }
      last ??= wireJson(await state());
    } catch (error) {
      last = hasCode(error, "run-events-deleted")
        ? wireJson(await state())
        : JSON.stringify({ __error__: errorForm(error) });
    } finally {
      clearInterval(heartbeat);
    }
    await body.write(last);
  });
}
