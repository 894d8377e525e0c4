/** The settings of the page. They stand in its address: `?server=http://localhost:2024&assistant=react`. */
const given = new URLSearchParams(location.search);

export const settings = {
  server: given.get("server") ?? import.meta.env.VITE_SERVER ?? "http://localhost:2024",
  /** A graph of the server, or the id of an assistant. */
  assistant: given.get("assistant") ?? "agent",
  thread: given.get("thread"),
};

/** Keeps the thread in the address. A reload of the page then goes on with it. */
export function keepThread(thread: string): void {
  const { pathname } = location;
  const kept = new URLSearchParams(location.search);
  kept.set("thread", thread);
  history.replaceState(null, "", `${pathname}?${kept}`);
}
