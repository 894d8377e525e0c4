import { screenText } from "./screen-text.js";

/** A text that comes in pieces, as it stands on the screen. */
export interface TextStream {
  /** Takes a piece. Returns what can be shown now. */
  push(piece: string): string;
  /** Ends the text. Returns the rest of it, with the end of its line. */
  end(): string;
}

/** Makes the stream of a text. The label stands before the text; it may be empty. */
export type StreamText = (label: string) => TextStream;

/** Shows each piece as it is. */
export const plainText: StreamText = (label) => {
  let before = label === "" ? "" : `${label} `;
  function push(piece: string): string {
    const shown = before + screenText(piece);
    before = "";
    return shown;
  }
  return { push, end: () => push("\n") };
};
