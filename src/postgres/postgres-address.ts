/** Tells whether a text is meant as the address of a Postgres database. */
export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:/i.test(text);
}

/** Writes the address of a database without user, password and options, as people may see it. */
export function placeOf(url: string): string {
  if (!URL.canParse(url)) return "postgres:";
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}
