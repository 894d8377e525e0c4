/**
 * Moves the focus to a row of the list, as soon as the list has drawn it.
 *
 * @param row By default the one that Tab reaches.
 */
export function focusRow(row = '.thread[tabindex="0"]', tries = 20): void {
  const element = document.querySelector<HTMLElement>(row);
  element?.focus({ preventScroll: true });
  if (tries > 0 && document.activeElement !== element) requestAnimationFrame(() => focusRow(row, tries - 1));
}
