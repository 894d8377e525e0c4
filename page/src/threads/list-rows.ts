import type { ListedThread } from "../wire.js";

/** A row of the list: the head of a group, or a thread. */
export type ListRow = { readonly head: string } | { readonly thread: ListedThread };

/** Groups threads, the newest first: those that wait for a person, then the others by the day on which they were last written. */
export function listRows(threads: readonly ListedThread[], now: Date): ListRow[] {
  const waiting = threads.filter(({ status }) => status === "waiting").length;
  const headOf = ({ status, updatedAt }: ListedThread) =>
    status === "waiting" ? `Waits for you · ${waiting}` : dayOf(new Date(updatedAt), now);
  const order = [...threads].sort(
    (left, right) => Number(right.status === "waiting") - Number(left.status === "waiting"),
  );
  let group = "";
  return order.flatMap((thread): ListRow[] => {
    const head = headOf(thread);
    if (head === group) return [{ thread }];
    group = head;
    return [{ head }, { thread }];
  });
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long" });
const dayOfYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });

/** The name of a day: `Today`, `Yesterday`, `27 November`, `3 March 2025`. */
function dayOf(at: Date, now: Date): string {
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (at.toDateString() === now.toDateString()) return "Today";
  if (at.toDateString() === yesterday.toDateString()) return "Yesterday";
  return (at.getFullYear() === now.getFullYear() ? day : dayOfYear).format(at);
}
