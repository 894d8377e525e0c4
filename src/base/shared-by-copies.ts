/**
 * Returns what all copies of this package in a process share: that of an application and that of the program
 * `glassloop serve` which loads it. The first copy makes it.
 *
 * @param name Ends with a number. Raise it with a change of the shape: a copy of another version then has its own.
 */
export function sharedByCopies<T extends object>(name: string, own: T): T {
  const key = Symbol.for(`glassloop.${name}`);
  const found: unknown = Reflect.get(globalThis, key);
  if (isLike(found, own)) return found;
  Reflect.defineProperty(globalThis, key, { value: own });
  return own;
}

function isLike<T extends object>(found: unknown, own: T): found is T {
  return found instanceof own.constructor;
}
