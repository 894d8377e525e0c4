/** Writes a passage with what it is about above it: the title of its document, and its headings. Models are given this. */
export function aboutText(passage: {
  readonly title: string;
  readonly headings: readonly string[];
  readonly text: string;
}): string {
  const { title, headings, text } = passage;
  return `${[title, ...headings.filter((heading) => heading !== title)].join(" > ")}\n\n${text}`;
}
