/**
 * A function that makes its value once for each object, and remembers it for as long as the object is in use.
 *
 * @param make Makes the value. It is called again for an object when it threw.
 */
export function oncePerObject<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known.value;
    const value = make(key);
    made.set(key, { value });
    return value;
  };
}
