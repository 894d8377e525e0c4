/** The path in the address of a SQLite file; undefined in another address, and in one without a path. */
export function sqlitePath(url: string): string | undefined {
  return /^sqlite:(?:\/\/)?(.+)$/i.exec(url)?.[1];
}
