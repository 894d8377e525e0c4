import type { MarkedToken, Token, Tokens } from "marked";
import { Fragment, memo, type ReactNode } from "react";
import { CopyButton } from "../../parts/copy-button.js";
import { Picture } from "../../parts/picture.js";
import { decodeEntities } from "./entities.js";
import type { Mark, MarkedText } from "./marked-text.js";
import { isKnown, lexBlock } from "./safe-lexer.js";

/** A block of a Markdown text. `marked` is left out for a block without marks. */
export const Block = memo(function Block({
  block,
  marked,
}: {
  readonly block: string;
  readonly marked: MarkedText | undefined;
}) {
  return new BlockWriter(marked).all(lexBlock(block));
});

/** Writes the tokens of a block as elements. It knows whether it stands in a link, and in the words of a mark. */
class BlockWriter {
  readonly #marked: MarkedText | undefined;
  #around: Mark | undefined;

  constructor(marked: MarkedText | undefined) {
    this.#marked = marked;
  }

  all(tokens: readonly Token[]): ReactNode {
    // biome-ignore lint/suspicious/noArrayIndexKey: a token has nothing but its place
    return tokens.map((token, index) => <Fragment key={index}>{this.#one(token)}</Fragment>);
  }

  #one(token: Token): ReactNode {
    if (!isKnown(token)) return this.#words(token.raw);
    switch (token.type) {
      case "space":
        return null;
      case "paragraph":
        return <p dir="auto">{this.all(token.tokens)}</p>;
      case "heading":
        return this.#heading(token);
      case "code":
        return <CodeBlock code={this.#plain(token.text)} language={this.#plain(token.lang ?? "")} />;
      case "blockquote":
        return <blockquote>{this.all(token.tokens)}</blockquote>;
      case "list":
        return this.#list(token);
      case "table":
        return this.#table(token);
      case "hr":
        return <hr />;
      case "def":
        return <p dir="auto">{this.#words(token.raw)}</p>;
      case "html":
        return token.block ? <p dir="auto">{this.#words(token.raw)}</p> : this.#inline(token);
      default:
        return this.#inline(token);
    }
  }

  #inline(token: MarkedToken): ReactNode {
    switch (token.type) {
      case "strong":
        return <strong>{this.all(token.tokens)}</strong>;
      case "em":
        return <em>{this.all(token.tokens)}</em>;
      case "del":
        return <del>{this.all(token.tokens)}</del>;
      case "codespan":
        return <code dir="auto">{this.#plain(token.text)}</code>;
      case "br":
        return <br />;
      case "checkbox":
        return <input type="checkbox" checked={token.checked} disabled aria-label={token.checked ? "done" : "open"} />;
      case "link":
        return this.#link(token);
      case "image":
        return this.#image(token);
      case "text":
        return token.tokens ? this.all(token.tokens) : this.#words(decodeEntities(token.text));
      case "escape":
        return this.#words(token.text);
      default:
        // HTML, and the addresses of references, are shown as they were written.
        return this.#words(token.raw);
    }
  }

  /** The headings of an answer stand below those of the page. */
  #heading({ depth, tokens }: Tokens.Heading): ReactNode {
    const words = this.all(tokens);
    if (depth === 1) return <h3 dir="auto">{words}</h3>;
    return depth === 2 ? <h4 dir="auto">{words}</h4> : <h5 dir="auto">{words}</h5>;
  }

  #list({ ordered, start, items }: Tokens.List): ReactNode {
    const written = items.map((item, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: an item has nothing but its place
      <li key={index} dir="auto" className={item.task ? "task" : undefined}>
        {this.all(item.tokens)}
      </li>
    ));
    return ordered ? <ol start={Number(start) || 0}>{written}</ol> : <ul>{written}</ul>;
  }

  #table({ header, rows }: Tokens.Table): ReactNode {
    const cell = ({ text, tokens, align, header: isHead }: Tokens.TableCell, index: number) => {
      const Cell = isHead && text !== "" ? "th" : "td";
      return (
        <Cell key={index} dir="auto" data-align={align ?? undefined}>
          {this.all(tokens)}
        </Cell>
      );
    };
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard
      <section className="wide-table" tabIndex={0} aria-label="Table">
        <table>
          <thead>
            <tr>{header.map(cell)}</tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row has nothing but its place
              <tr key={index}>{row.map(cell)}</tr>
            ))}
          </tbody>
        </table>
      </section>
    );
  }

  #link({ href, tokens }: Tokens.Link): ReactNode {
    return <Link address={this.#plain(href)}>{this.all(tokens)}</Link>;
  }

  /** A picture of another server is a link: to show it would tell that server who reads. */
  #image({ href, text }: Tokens.Image): ReactNode {
    const address = this.#plain(href);
    const words = this.#plain(text) || "a picture";
    return /^data:image\//.test(address) ? (
      <Picture address={address} words={words} />
    ) : (
      <Link address={address}>{`picture: ${words}`}</Link>
    );
  }

  #words(text: string): ReactNode {
    return this.#marked === undefined ? text : this.#marked.split(text).map((part, index) => this.#part(part, index));
  }

  #part(part: string | Mark, key: number): ReactNode {
    if (typeof part === "string") return this.#setApart(part, key);
    if ("instead" in part) return <Fragment key={key}>{part.instead}</Fragment>;
    this.#around = this.#around === part ? undefined : part;
    return null;
  }

  #setApart(words: string, key: number): ReactNode {
    if (this.#around === undefined || "instead" in this.#around) return words;
    return (
      <span key={key} {...this.#around.around}>
        {words}
      </span>
    );
  }

  #plain(text: string): string {
    return this.#marked?.plain(text) ?? text;
  }
}

/** A link to the web or to write a mail; other addresses are not opened, but shown. */
function Link({ address, children }: { readonly address: string; readonly children: ReactNode }) {
  if (!/^(?:https?:\/\/|mailto:)/i.test(address)) {
    return (
      <>
        {children} <span className="muted">({address})</span>
      </>
    );
  }
  return (
    <a href={address} target="_blank" rel="noopener noreferrer" title={address}>
      {children}
    </a>
  );
}

function CodeBlock({ code, language }: { readonly code: string; readonly language: string }) {
  return (
    <div className="code-block">
      <div className="code-head">
        <span className="muted">{language}</span>
        <CopyButton text={() => code}>Copy</CopyButton>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard */}
      <pre tabIndex={0} dir="auto">
        {code}
      </pre>
    </div>
  );
}
