import type { Document, Element } from "@mixmark-io/domino";
import { inOneLine } from "../../base/shorten.js";
import { plainLines } from "./plain-lines.js";

/** A text with its title, which is empty if there is none. */
export interface TitledText {
  readonly title: string;
  readonly text: string;
}

/** Returns the text of HTML without its markup. It takes no longer than the HTML is long. */
export function bareText(html: string): TitledText {
  const title = /<title[^<>]*>([^<]*)/i.exec(html)?.[1] ?? "";
  return { title: inOneLine(withEntities(title)), text: withoutMarkup(html).trim() };
}

/**
 * Returns the article of a page as Markdown, or the whole page if it is no article. Readability finds the article.
 *
 * @param address The address of the page, for its links.
 */
export async function articleIn(html: string, address: string): Promise<TitledText | undefined> {
  const { isProbablyReaderable, Readability } = (await import("@mozilla/readability")).default;
  const document = await documentOf(html);
  makeReadable(document, address);
  const { title, body } = document;
  const article = isProbablyReaderable(document)
    ? new Readability(document, { serializer: (element) => element }).parse()
    : { title, content: body };
  if (!article?.content) return undefined;
  return { title: inOneLine(article.title || title), text: await written(article.content) };
}

/** Returns all of a piece of HTML as Markdown. */
export async function markdownOf(html: string): Promise<string> {
  const document = await documentOf(html);
  makeReadable(document, "file:///");
  return document.body === null ? "" : written(document.body);
}

/** Puts characters in the place of the most usual entities. */
export function withEntities(text: string): string {
  const named = new Map(Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", "#39": "'" }));
  return text.replace(/&([a-z]{2,4}|#39);/g, (entity, name: string) => named.get(name) ?? entity);
}

async function documentOf(html: string): Promise<Document> {
  return (await import("@mixmark-io/domino")).default.createDocument(html, true);
}

async function written(element: Element): Promise<string> {
  const { default: Converter } = await import("turndown");
  const { gfm } = (await import("@joplin/turndown-plugin-gfm")).default;
  const converter = new Converter({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    hr: "***", // A text that begins with "---" would begin with data about itself.
  });
  converter.escape = plainLines; // A model reads snake_case better than snake\_case.
  converter.use(gfm);
  converter.remove(["script", "style", "noscript", "template", "iframe", "head"]);
  converter.addRule("image", { filter: "img", replacement: (_content, image) => image.getAttribute("alt") ?? "" });
  return converter.turndown(element).trim();
}

/**
 * Gives a document what Readability expects of a browser's and domino lacks, and whole addresses to its links. Removes what is
 * hidden.
 */
function makeReadable(document: Document, address: string): void {
  const list = Object.getPrototypeOf(document.getElementsByTagName("a"));
  list[Symbol.iterator] = Array.prototype[Symbol.iterator];
  const base = wholeAddress(document.querySelector("base[href]")?.getAttribute("href") ?? "", address);
  const value = base ?? address;
  // A program in the page may show the body later.
  const marked = Array.from(document.querySelectorAll("body [hidden], body [aria-hidden], body [style]"));
  const opened = openedIn(document);
  for (const element of marked) {
    if (isHidden(element, opened)) element.remove();
    // Readability knows nothing of what opens with a click.
    else for (const name of ["hidden", "aria-hidden", "style"]) element.removeAttribute(name);
  }
  for (const name of ["baseURI", "documentURI"]) Object.defineProperty(document, name, { value });
  for (const link of Array.from(document.querySelectorAll("a[href]"))) {
    const href = link.getAttribute("href") ?? "";
    const address = wholeAddress(href, value);
    // A sign such as ¶, which leads to the heading beside it.
    const isSign = href.startsWith("#") && !/[\p{L}\p{N}]/u.test(link.textContent) && !link.querySelector("img");
    if (isSign) link.remove();
    else if (address === undefined) link.removeAttribute("href");
    else link.setAttribute("href", address);
  }
}

/** Returns a whole address on the web. Returns undefined for one that runs something, such as `javascript:…`. */
function wholeAddress(address: string, base: string): string | undefined {
  const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/** Finds the ids of the elements that something in the page refers to, such as a button or a tab that opens them. */
function openedIn(document: Document): ReadonlySet<string> {
  const names = ["aria-controls", "href", "data-target", "data-bs-target"];
  const controls = Array.from(document.querySelectorAll(names.map((name) => `[${name}]`).join(", ")));
  const values = controls.flatMap((control) => names.map((name) => control.getAttribute(name) ?? ""));
  return new Set(values.flatMap((value) => value.match(/[^\s#]\S*/g) ?? []));
}

/**
 * Tells whether a page does not show an element. What opens with a click, such as a tab or `<details>`, is not hidden. Text
 * that is hidden from screen readers alone is decoration, or is there twice, such as a formula, unless it has paragraphs:
 * it is then the page behind a dialog.
 */
function isHidden(element: Element, opened: ReadonlySet<string>): boolean {
  if (opened.has(element.getAttribute("id") ?? "") || /^(?:tabpanel|region)$/.test(element.getAttribute("role") ?? ""))
    return false;
  return (
    (element.getAttribute("hidden") ?? "until-found") !== "until-found" ||
    (element.getAttribute("aria-hidden") === "true" && !element.querySelector("p, h1, h2, h3, h4, h5, h6, li, td")) ||
    /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\s*(?:[;!]|$)/i.test(element.getAttribute("style") ?? "")
  );
}

function withoutMarkup(html: string): string {
  const texts: string[] = [];
  let hidden: string | undefined;
  for (const [piece] of html.matchAll(/<[^<>]*>?|[^<]+/g)) {
    const name = /^<(?:!--|\/?[a-z\d]*)/i.exec(piece)?.[0].toLowerCase();
    if (hidden === undefined && name !== undefined && /^<(?:!--|script|style|template|noscript|title)$/.test(name)) {
      hidden = name;
    } else if (hidden === undefined) {
      texts.push(name === undefined ? piece : /^<\/?(?:a|b|i|em|strong|span|code)$/.test(name) ? "" : "\n");
    }
    const end = hidden === "<!--" ? piece.includes("-->") : name === hidden?.replace("<", "</");
    if (end) hidden = undefined;
  }
  return withEntities(texts.join(""))
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n\s*/g, "\n");
}
