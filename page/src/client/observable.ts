import { useSyncExternalStore } from "react";

/** A value that changes, and tells those who watch it. */
export class Observable<Value> {
  #value: Value;
  readonly #watchers = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  readonly get = (): Value => this.#value;

  readonly watch = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => void this.#watchers.delete(changed);
  };

  set(value: Value): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const changed of this.#watchers) changed();
  }
}

/** The value of an observable, as it is now. */
export function useObservable<Value>({ watch, get }: Observable<Value>): Value {
  return useSyncExternalStore(watch, get);
}
