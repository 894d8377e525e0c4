import { expect, it } from "vitest";
import type { Sent } from "../../helpers/lines.js";
import { matrix } from "../../matrix/matrix.js";
import { replyRows } from "./replies.js";
import { heldByBoth } from "./talk.js";

const usual = replyRows.filter(({ name }) =>
  ["words before a call (streamed)", "two thoughts (Responses)", "a signed and a hidden thought"].includes(name),
);

it.each(matrix(replyRows, ...usual))(
  "a reply with $name is sent back in every later prompt, kept and exported as it came",
  async ({ line, holds }) => {
    const { ours, theirs } = await heldByBoth({ line });
    const [first, second] = ours.sent;
    expect(first?.[1]).toEqual(theirs.sent[0]?.[1]);
    expect(second).toEqual(theirs.sent[1]);
    for (const prompt of [first?.[1], second?.[0], ours.exported]) expect(lacking(holds, prompt)).toEqual([]);
    expect(ours.messages.map(kept)).toEqual(theirs.messages.map(kept));
    expect(ours.prompts.map(({ exact }) => exact)).toEqual(ours.sent.flat().map(() => true));
  },
);

/** The texts that a request, or the lines of an export, do not hold. */
function lacking(texts: readonly string[], request: unknown): string[] {
  const sent = typeof request === "string" ? request : JSON.stringify(request);
  return texts.filter((text) => !sent.includes(text));
}

/** What a message keeps of a reply. A provider's echoes of the request are not kept, nor are the calls a second time. */
function kept({ type, content, tool_calls, additional_kwargs, usage_metadata, response_metadata }: Sent): Sent {
  const { tool_calls: _, ...kwargs } = Object(additional_kwargs);
  const { output } = Object(response_metadata);
  return { type, content, tool_calls, kwargs, usage_metadata, output };
}
