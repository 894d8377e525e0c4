/** The part of a document object model that is used here. */
interface Element {
  readonly nodeName: string;
  readonly textContent: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
}

interface Document {
  readonly title: string;
  readonly body: Element | null;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): ArrayLike<Element>;
  getElementsByTagName(name: string): ArrayLike<Element>;
}

interface Converter {
  escape(text: string): string;
  use(plugin: unknown): void;
  remove(names: readonly string[]): void;
  addRule(name: string, rule: { filter: string; replacement(content: string, element: Element): string }): void;
  turndown(element: Element): string;
}

/** The libraries that turn HTML into Markdown: domino, Readability and turndown with its plug-in for tables. */
export interface PageLibraries {
  createDocument(html: string, force: boolean): Document;
  isProbablyReaderable(document: Document): boolean;
  readonly Readability: new (
    document: Document,
    options: { serializer(element: Element): Element },
  ) => { parse(): { readonly title: string; readonly content: Element } | null };
  readonly Turndown: new (options: Readonly<Record<string, string>>) => Converter;
  readonly gfm: unknown;
}

/** A page as it was fetched. */
export interface FetchedPage {
  readonly address: string;
  /** Its media type, with parameters such as the charset. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The text of a page, up to a number of characters. */
export interface PageText {
  readonly title: string;
  readonly text: string;
  /** The number of characters of the whole text. */
  readonly length: number;
  /** Whether it is the bare text of a page in HTML, without its headings, links and tables. */
  readonly isBare: boolean;
}

/**
 * Reads a page in a worker thread. The worker gets the source text of this class. So the class uses nothing from outside.
 */
export class PageReader {
  readonly isHtml: boolean;
  private readonly source: string;

  constructor(
    private readonly page: FetchedPage,
    private readonly maxCharacters: number,
  ) {
    this.isHtml = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(page.type);
    this.source = this.decode();
  }

  /** Returns the text as it is, or the bare text of HTML. It takes no longer than the page is long. */
  plain(): PageText {
    if (!this.isHtml) return this.result("", this.source, false);
    const title = /<title[^<>]*>([^<]*)/i.exec(this.source)?.[1] ?? "";
    return this.result(this.inOneLine(this.withEntities(title)), this.bareText(), true);
  }

  /** Returns the article of an HTML page as Markdown, or the whole page if it is no article. */
  markdown({ createDocument, isProbablyReaderable, Readability, Turndown, gfm }: PageLibraries): PageText | undefined {
    const document = createDocument(this.source, true);
    this.makeReadable(document);
    const { title, body } = document;
    const article = isProbablyReaderable(document)
      ? new Readability(document, { serializer: (element) => element }).parse()
      : { title, content: body };
    if (!article?.content) return undefined;
    const converter = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---" });
    converter.escape = (text) => text; // A model reads snake_case better than snake\_case.
    converter.use(gfm);
    converter.remove(["script", "style", "noscript", "template", "iframe", "head"]);
    converter.addRule("image", { filter: "img", replacement: (_content, image) => image.getAttribute("alt") ?? "" });
    return this.result(this.inOneLine(article.title || title), converter.turndown(article.content), false);
  }

  private decode(): string {
    const beginning = new TextDecoder("latin1").decode(this.page.bytes.subarray(0, 2048));
    const said = /charset\s*=\s*["']?([\w-]+)/i;
    const [, charset = "utf-8"] = said.exec(this.page.type) ?? ((this.isHtml && said.exec(beginning)) || []);
    try {
      return new TextDecoder(charset).decode(this.page.bytes);
    } catch {
      return new TextDecoder().decode(this.page.bytes);
    }
  }

  /** Gives a document what Readability expects of a browser's and domino lacks, and whole addresses to its links. */
  private makeReadable(document: Document): void {
    const list = Object.getPrototypeOf(document.getElementsByTagName("a"));
    list[Symbol.iterator] = Array.prototype[Symbol.iterator];
    const base = this.wholeAddress(document.querySelector("base[href]")?.getAttribute("href") ?? "", this.page.address);
    const value = base ?? this.page.address;
    for (const name of ["baseURI", "documentURI"]) Object.defineProperty(document, name, { value });
    for (const link of Array.from(document.querySelectorAll("a[href]"))) {
      const address = this.wholeAddress(link.getAttribute("href") ?? "", value);
      if (address === undefined) link.removeAttribute("href");
      else link.setAttribute("href", address);
    }
  }

  /** Returns a whole address on the web. Returns undefined for one that runs something, such as `javascript:…`. */
  private wholeAddress(address: string, base: string): string | undefined {
    const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
    return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
  }

  private bareText(): string {
    const texts: string[] = [];
    let hidden: string | undefined;
    for (const [piece] of this.source.matchAll(/<[^<>]*>?|[^<]+/g)) {
      const name = /^<(?:!--|\/?[a-z\d]*)/i.exec(piece)?.[0].toLowerCase();
      if (hidden === undefined && name !== undefined && /^<(?:!--|script|style|template|noscript|title)$/.test(name)) {
        hidden = name;
      } else if (hidden === undefined) {
        texts.push(name === undefined ? piece : /^<\/?(?:a|b|i|em|strong|span|code)$/.test(name) ? "" : "\n");
      }
      const end = hidden === "<!--" ? piece.includes("-->") : name === hidden?.replace("<", "</");
      if (end) hidden = undefined;
    }
    return this.withEntities(texts.join(""))
      .replace(/[^\S\n]+/g, " ")
      .replace(/ ?\n\s*/g, "\n");
  }

  private withEntities(text: string): string {
    const named = new Map(Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", "#39": "'" }));
    return text.replace(/&([a-z]{2,4}|#39);/g, (entity, name: string) => named.get(name) ?? entity);
  }

  private inOneLine(text: string): string {
    return text.replace(/\s+/g, " ").trim();
  }

  private result(title: string, whole: string, isBare: boolean): PageText {
    const text = whole.trim();
    return { title: title.slice(0, 300), text: text.slice(0, this.maxCharacters), length: text.length, isBare };
  }
}
