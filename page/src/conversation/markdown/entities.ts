const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Writes the entities of HTML that models use, such as `&lt;`, as their signs. */
export function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{2,6}));/g, (whole, name?: string, number?: string) => {
    if (name !== undefined) return named[name] ?? whole;
    const code = Number(number);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
