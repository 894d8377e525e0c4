import { isRecord } from "../../../src/base/is-record.js";

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
/** Keys that name the machine, the server or the version of a package. */
const changing = /^(langgraph_(version|plan|host|api_url)|user-agent|ls_\w+|run_attempt|created_by|checkpoint_map)$/;

/** Returns a value in which ids have numbers, in the order in which they come, and times are left out. It is as JSON has it. */
export function normal(value: unknown): unknown {
  const seen = new Map<string, string>();
  const named = (id: string) => {
    if (!seen.has(id)) seen.set(id, `<${seen.size + 1}>`);
    return seen.get(id) ?? "";
  };
  const text = (one: string) =>
    one
      .replace(uuid, named)
      .replace(/\b[0-9a-f]{32}\b/g, named)
      .replace(time, "<time>");
  function inner(one: unknown): unknown {
    if (typeof one === "string") return text(one);
    if (Array.isArray(one)) return one.map(inner);
    if (!isRecord(one)) return one;
    const kept = Object.entries(one).filter(([key]) => !changing.test(key));
    return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, held]) => [text(key), inner(held)]));
  }
  return inner(JSON.parse(JSON.stringify(value)));
}
