import { useSyncExternalStore } from "react";

/** What the page shows. It stands in the fragment of the address: `#/threads/t1?turn=2&step=5&part=prompt`. */
export interface Address {
  /** Undefined where a new thread begins. */
  readonly thread?: string;
  readonly turn?: number;
  readonly step?: number;
  readonly part?: string;
}

/** Reads the fragment of an address. What it does not know is left out. */
export function readAddress(fragment: string): Address {
  const [path = "", query = ""] = fragment.replace(/^#/, "").split("?", 2);
  const [, thread] = /^\/threads\/([^/]+)$/.exec(path) ?? [];
  const parts = new URLSearchParams(query);
  const count = (name: string) => (/^\d{1,6}$/.test(parts.get(name) ?? "") ? Number(parts.get(name)) : undefined);
  return {
    ...(thread !== undefined && { thread: decoded(thread) }),
    ...(count("turn") !== undefined && { turn: count("turn") }),
    ...(count("step") !== undefined && { step: count("step") }),
    ...(parts.get("part") && { part: parts.get("part") ?? "" }),
  };
}

/** A person may have cut an address off in the middle of a sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Writes the fragment of an address. */
export function writeAddress({ thread, ...parts }: Address): string {
  const given = Object.entries(parts).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const query = new URLSearchParams(given).toString();
  return `#/${thread === undefined ? "" : `threads/${encodeURIComponent(thread)}`}${query && `?${query}`}`;
}

/** Shows another place. Back comes to this one again, unless it is `replace`d. */
export function goTo(address: Address, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", writeAddress(address));
  else history.pushState(null, "", writeAddress(address));
  dispatchEvent(new Event("hashchange"));
}

/** The place that is shown. */
export function useAddress(): Address {
  return readAddress(useSyncExternalStore(follow, () => location.hash));
}

function follow(changed: () => void): () => void {
  const names = ["hashchange", "popstate"];
  for (const name of names) addEventListener(name, changed);
  return () => {
    for (const name of names) removeEventListener(name, changed);
  };
}
