/** The threads: what waits for a person first. */
export function ThreadList() {
  return <nav className="threads" aria-label="Threads" />;
}
