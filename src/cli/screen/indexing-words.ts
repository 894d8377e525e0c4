import type { EventOf } from "../../core/run/events.js";

/** Says how far an index is. */
export function indexingWords({ work, done, total }: Pick<EventOf<"indexing">, "work" | "done" | "total">): string {
  const [verb, what] = work === "reading" ? ["Read", "new and changed documents"] : ["Embedded", "passages"];
  return `${verb} ${done.toLocaleString("en")} of ${total.toLocaleString("en")} ${what}`;
}
