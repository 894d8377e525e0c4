import { expect } from "vitest";

interface Change {
  readonly event: string;
  readonly id: string;
  readonly data: unknown;
}

/** Reads the changes of the list from a response. */
export function changesOf(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader() ?? expect.fail("There is no stream.");
  const seen: string[] = [];
  let rest = "";
  async function next(): Promise<Change> {
    for (;;) {
      const end = rest.indexOf("\n\n");
      const frame = rest.slice(0, Math.max(end, 0));
      rest = end < 0 ? rest : rest.slice(end + 2);
      const [, event = "", data = "", id = ""] = /^event: (.*)\ndata: (.*)\nid: (.*)$/.exec(frame) ?? [];
      if (event) {
        seen.push(event);
        return { event, id, data: JSON.parse(data) };
      }
      if (end >= 0) continue;
      const { value, done } = await reader.read();
      if (done) return expect.fail(`The stream ended after ${seen}.`);
      rest += value;
    }
  }
  return {
    seen,
    next,
    /** Reads until a change has this in it. */
    async until(event: string, data: object): Promise<void> {
      let change = await next();
      while (!matches(change, { event, data })) change = await next();
    },
    /** Reads what comes until the end. */
    async rest(): Promise<string> {
      let text = rest;
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += piece.value;
      return text;
    },
    leave: () => reader.cancel(),
  };
}

function matches(is: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return is === wanted;
  return Object.entries(wanted).every(([key, value]) => matches(Object(is)[key], value));
}
