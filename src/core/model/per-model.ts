/** Returns the model inside LangChain's `RunnableBinding`s. */
export function unbound(model: unknown): unknown {
  if (typeof model !== "object" || model === null || !("bound" in model)) return model;
  return unbound(model.bound);
}

/** Makes a function that reads something of a model, without its bindings, and remembers it: each step asks for it. */
export function perModel<Value>(read: (model: unknown) => Value): (model: unknown) => Value {
  const known = new WeakMap<object, { readonly value: Value }>();
  return (bound) => {
    const model = unbound(bound);
    if (typeof model !== "object" || model === null) return read(model);
    const found = known.get(model) ?? { value: read(model) };
    known.set(model, found);
    return found.value;
  };
}
