import { screenText } from "../screen/screen-text.js";

/** A piece of a page, in which all text is escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | readonly Html[];

/** Writes a piece of a page: html`<p>${text}</p>`. What stands in it is text, unless it is a piece itself. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((page, string, index) => `${page}${written(parts[index - 1] ?? "")}${string}`));
}

function written(part: Part): string {
  if (part instanceof Html) return part.text;
  return Array.isArray(part) ? part.map(({ text }) => text).join("") : escaped(String(part));
}

const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return screenText(text).replace(/[&<>"']/g, (character) => names[character] ?? "");
}
