import type { KeyboardEvent, Ref } from "react";
import "./words-field.css";

/** A field for words. Enter sends them, Shift and Enter begin a new line; it grows to eight lines. */
export function WordsField({
  label,
  words,
  hotkey,
  ref,
  onWords,
  onEnter,
}: {
  readonly label: string;
  readonly words: string;
  /** The key that leads to the field. */
  readonly hotkey?: string;
  readonly ref?: Ref<HTMLTextAreaElement>;
  readonly onWords: (words: string) => void;
  readonly onEnter: () => void;
}) {
  function onKeyDown(event: KeyboardEvent) {
    // While signs are composed, Enter takes one of them.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onEnter();
  }
  return (
    <textarea
      ref={ref}
      className="field words"
      dir="auto"
      rows={Math.min(8, words.split("\n").length)}
      aria-label={label}
      placeholder={label}
      value={words}
      data-key={hotkey}
      onChange={(event) => onWords(event.target.value)}
      onKeyDown={onKeyDown}
    />
  );
}
