/**
 * Decodes bytes. It knows the marks of Unicode, what the bytes or their sender say, UTF-8, and the "ANSI" of Windows.
 */
export class EncodedText {
  /**
   * Decodes bytes of which the end may be missing. It takes any bytes.
   *
   * @param charset The encoding that somebody says it is. A mark in front of the bytes counts more.
   */
  decode(bytes: Uint8Array, charset?: string): string {
    const encoding = this.markOf(bytes) ?? this.known(charset) ?? (this.isUtf8(bytes) ? "utf-8" : "windows-1252");
    // Node.js 20 decodes windows-1252 wrongly if it is not one of several pieces. A piece may end within a character.
    return new TextDecoder(encoding).decode(bytes, { stream: true });
  }

  /** Finds the encoding that a page of HTML says it has. */
  saidIn(html: Uint8Array): string | undefined {
    return this.charsetOf(new TextDecoder("latin1").decode(html.subarray(0, 2048)));
  }

  /** Finds `charset=…` in a text, such as a media type. */
  charsetOf(text: string): string | undefined {
    return /charset\s*=\s*["']?([\w-]+)/i.exec(text)?.[1];
  }

  private markOf([first, second]: Uint8Array): string | undefined {
    if (first === 0xff && second === 0xfe) return "utf-16le";
    return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
  }

  private known(charset: string | undefined): string | undefined {
    try {
      return charset === undefined ? undefined : new TextDecoder(charset).encoding;
    } catch {
      return undefined;
    }
  }

  private isUtf8(bytes: Uint8Array): boolean {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      return true;
    } catch {
      return false;
    }
  }
}
