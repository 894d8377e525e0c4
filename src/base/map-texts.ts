import { isRecord } from "./is-record.js";

/** Changes all texts in data, the names of fields too. Returns the same data if nothing changes. Objects of classes stay. */
export function mapTexts<Data>(data: Data, change: (text: string) => string): Data;
export function mapTexts(data: unknown, change: (text: string) => string): unknown {
  if (typeof data === "string") return change(data);
  if (Array.isArray(data)) {
    const items = data.map((item) => mapTexts(item, change));
    return items.every((item, n) => item === data[n]) ? data : items;
  }
  if (!isRecord(data) || ![Object.prototype, null].includes(Object.getPrototypeOf(data))) return data;
  const entries = Object.entries(data).map(([name, value]) => [change(name), mapTexts(value, change)] as const);
  return entries.every(([name, value]) => data[name] === value) ? data : Object.fromEntries(entries);
}
