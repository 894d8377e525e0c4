import { expect } from "vitest";
import { z } from "zod";
import type { ProtocolEvent } from "../../../src/server/protocol/protocol-event.js";
import type { Send } from "../access/served.js";

/** All channels of version 2 of the protocol. */
export const channels = ["lifecycle", "values", "checkpoints", "messages", "tools", "input", "custom"];

/** Reads the events of a thread until one is as wanted. */
export async function readEvents(
  send: Send,
  thread: string,
  isLast: (event: ProtocolEvent) => boolean,
  filter: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<ProtocolEvent[]> {
  const leaving = new AbortController();
  const response = await send("POST", `/threads/${thread}/stream/events`, {
    body: { channels, ...filter },
    headers,
    signal: leaving.signal,
  });
  const events: ProtocolEvent[] = [];
  let rest = "";
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? expect.fail("There is no stream.")) {
    const frames = `${rest}${piece}`.split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const [, data] = /^data: (.*)$/m.exec(frame) ?? [];
      if (data === undefined) continue;
      const event: ProtocolEvent = JSON.parse(data);
      events.push(event);
      if (isLast(event)) return events;
    }
  }
  return expect.fail(`The stream ended after ${JSON.stringify(events.at(-1))}.`);
}

/** Tells whether an event ends the run of a thread. */
export const isEnd = ({ method, params }: ProtocolEvent): boolean =>
  method === "lifecycle" &&
  params.namespace.length === 0 &&
  ["completed", "failed", "interrupted"].includes(Object(params.data).event);

const resultSchema = z.object({
  type: z.string(),
  error: z.string().optional(),
  message: z.string().optional(),
  result: z.object({ run_id: z.string().optional() }).optional(),
  meta: z.object({ applied_through_seq: z.number().optional() }).optional(),
});

/** Sends a command to a thread. */
export async function command(send: Send, thread: string, method: string, params: object = {}) {
  const response = await send("POST", `/threads/${thread}/commands`, { body: { id: 1, method, params } });
  return resultSchema.parse(await response.json());
}
