/** Makes what a reply waits for, until it is released. */
export function held(): { readonly hold: Promise<void>; readonly release: () => void } {
  let release = () => {};
  const hold = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { hold, release: () => release() };
}
