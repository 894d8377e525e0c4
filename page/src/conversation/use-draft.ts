import { useState } from "react";

/** A text that somebody types. It survives a reload of the tab. */
export function useDraft(name: string): readonly [string, (text: string) => void] {
  const key = `glassloop-draft:${name}`;
  const [kept, setKept] = useState({ key, text: sessionStorage.getItem(key) ?? "" });
  if (kept.key !== key) setKept({ key, text: sessionStorage.getItem(key) ?? "" });
  function write(text: string) {
    setKept({ key, text });
    if (text === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  }
  return [kept.text, write];
}
