import { describe, expect, it } from "vitest";
import type { Sent } from "../../helpers/lines.js";
import { replyRows } from "./replies.js";
import { heldByBoth, type Talk } from "./talk.js";

describe.each(replyRows)("a reply with $name", ({ line, holds }) => {
  const talk: Talk = { line };
  const held = heldByBoth(talk);

  it("is sent back in the next step as it came", async () => {
    const { ours, theirs } = await held();
    expect(ours.sent[0]?.[1]).toEqual(theirs.sent[0]?.[1]);
    expect(lacking(holds, ours.sent[0]?.[1])).toEqual([]);
  });

  it("is sent back in the next turn as it came", async () => {
    const { ours, theirs } = await held();
    expect(ours.sent[1]).toEqual(theirs.sent[1]);
    expect(lacking(holds, ours.sent[1]?.[0])).toEqual([]);
  });

  it("stands in messages as it came", async () => {
    const { ours, theirs } = await held();
    expect(ours.messages.map(kept)).toEqual(theirs.messages.map(kept));
  });

  it("is in the prompts of the thread, byte for byte", async () => {
    const { ours } = await held();
    expect(ours.prompts.map(({ exact }) => exact)).toEqual(ours.sent.flat().map(() => true));
  });

  it("is exported", async () => {
    const { ours } = await held();
    expect(holds.filter((text) => !ours.exported.includes(text))).toEqual([]);
  });
});

/** The texts that a request does not hold. */
function lacking(texts: readonly string[], request: unknown): string[] {
  const sent = JSON.stringify(request) ?? "";
  return texts.filter((text) => !sent.includes(text));
}

/** What a message keeps of a reply. A provider's echoes of the request are not kept, nor are the calls a second time. */
function kept({ type, content, tool_calls, additional_kwargs, usage_metadata, response_metadata }: Sent): Sent {
  const { tool_calls: _, ...kwargs } = Object(additional_kwargs);
  const { output } = Object(response_metadata);
  return { type, content, tool_calls, kwargs, usage_metadata, output };
}
