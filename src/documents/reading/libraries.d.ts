// The parts that are used here of libraries that have no types, types for browsers, or types that lack what is used.

declare module "@mixmark-io/domino" {
  export interface Element {
    readonly textContent: string;
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
    removeAttribute(name: string): void;
    remove(): void;
    querySelector(selector: string): Element | null;
  }

  export interface Document {
    readonly title: string;
    readonly body: Element | null;
    querySelector(selector: string): Element | null;
    querySelectorAll(selector: string): ArrayLike<Element>;
    getElementsByTagName(name: string): ArrayLike<Element>;
  }

  const domino: { createDocument(html: string, force: boolean): Document };
  export default domino;
}

declare module "@mozilla/readability" {
  import type { Document, Element } from "@mixmark-io/domino";

  const library: {
    isProbablyReaderable(document: Document): boolean;
    readonly Readability: new (
      document: Document,
      options: { serializer(element: Element): Element },
    ) => { parse(): { readonly title: string; readonly content: Element } | null };
  };
  export default library;
}

declare module "turndown" {
  import type { Element } from "@mixmark-io/domino";

  interface Converter {
    escape(text: string): string;
    use(plugin: unknown): void;
    remove(names: readonly string[]): void;
    addRule(name: string, rule: { filter: string; replacement(content: string, element: Element): string }): void;
    turndown(element: Element): string;
  }

  const Turndown: new (options: Readonly<Record<string, string>>) => Converter;
  export default Turndown;
}

declare module "@joplin/turndown-plugin-gfm" {
  const plugins: { readonly gfm: unknown };
  export default plugins;
}

declare module "papaparse" {
  const papaparse: {
    parse(
      text: string,
      options: { delimiter?: string; preview?: number; skipEmptyLines?: boolean },
    ): { readonly data: readonly string[][]; readonly meta: { readonly delimiter: string } };
  };
  export default papaparse;
}

declare module "jszip" {
  interface ZipEntry {
    async(type: "string"): Promise<string>;
    nodeStream(): NodeJS.ReadableStream;
  }

  export interface Zip {
    readonly files: Readonly<Record<string, ZipEntry>>;
  }

  const jszip: { loadAsync(bytes: Uint8Array): Promise<Zip> };
  export default jszip;
}
