import { isBaseMessage } from "@langchain/core/messages";

/** A channel that a node has changed, with what is new in it, as JSON. */
export interface ChangedChannel {
  readonly channel: string;
  readonly change: string;
}

type Values = Readonly<Record<string, unknown>>;

/** Finds what is new in a state. Of a list that has grown, only the new items are given. */
export function stateDifference(before: Values, now: Values): ChangedChannel[] {
  return Object.entries(now).flatMap(([channel, value]) => {
    const [old, text] = [written(before[channel]), written(value)];
    if (text === undefined || text === old) return [];
    return [{ channel, change: addedTo(before[channel], value) ?? text }];
  });
}

function addedTo(before: unknown, now: unknown): string | undefined {
  if (!Array.isArray(before) || !Array.isArray(now) || before.length === 0 || now.length <= before.length)
    return undefined;
  if (written(now.slice(0, before.length)) !== written(before)) return undefined;
  return `… and ${written(now.slice(before.length))}`;
}

function written(value: unknown): string | undefined {
  return JSON.stringify(value, withPlainMessages, 2);
}

function withPlainMessages(this: unknown, key: string, value: unknown): unknown {
  const item: unknown = Object(this)[key];
  if (!isBaseMessage(item)) return value;
  const calls = "tool_calls" in item && Array.isArray(item.tool_calls) && item.tool_calls.length > 0;
  return { type: item.getType(), content: item.content, ...(calls && { tool_calls: item.tool_calls }) };
}
