import { useEffect, useRef } from "react";
import type { Address } from "../address.js";
import { focusRow } from "../threads/focus-row.js";
import { paneOf } from "./places.js";

/**
 * Moves the focus to the head of what was opened, and back to what had it when that is left. It stays where somebody types, and
 * where it is when the page is loaded.
 */
export function useFocus(address: Address): void {
  const last = useRef(address);
  const opener = useRef<Element>(null);
  useEffect(() => {
    const before = last.current;
    last.current = address;
    const focused = document.activeElement;
    if (isWritten(focused)) return;
    if (before.thread === address.thread && before.step !== undefined && address.step === undefined) {
      if (opener.current instanceof HTMLElement) opener.current.focus();
      return;
    }
    if (paneOf(address) === "threads") {
      if (paneOf(before) !== "threads") focusRow();
      return;
    }
    const head = headOf(before, address);
    if (head === undefined) return;
    if (focused?.closest(".talk, .loop-pane")) opener.current = focused;
    head.focus({ preventScroll: true });
  }, [address]);
}

/** What is new in a place; undefined if nothing is. */
function headOf(before: Address, now: Address): HTMLElement | undefined {
  const pane = paneOf(now);
  const isOther = before.thread !== now.thread || paneOf(before) !== pane;
  if (isOther && pane === "talk")
    return found(now.thread === undefined ? ".talk textarea" : ".turns") ?? found(".talk");
  if (isOther && pane === "loop") return found(".loop-pane :is(h2, h3)");
  const isOtherStep = now.step !== undefined && (before.step !== now.step || before.turn !== now.turn);
  return isOther || isOtherStep ? found(".step-pane :is(h2, h3)") : undefined;
}

/** An element, made such that it can have the focus. */
function found(selector: string): HTMLElement | undefined {
  const element = document.querySelector<HTMLElement>(selector) ?? undefined;
  if (element && element.tabIndex < 0) element.tabIndex = -1;
  return element;
}

function isWritten(element: Element | null): boolean {
  return element?.matches("textarea, input:not([type=search])") ?? false;
}
