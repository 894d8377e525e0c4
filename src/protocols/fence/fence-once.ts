import { type Fence, fence } from "./fence.js";

/** The fenced texts of the parts of a state, with the fence they have. They are forgotten with the part. */
const remembered = new WeakMap<object, { readonly known: Fence; readonly texts: Map<string, string> }>();

/**
 * Fences a text of a part of the state, such as an earlier turn. Each prompt of a turn shows the part again, and a fence takes
 * longer to make than to remember.
 */
export function fenceOnce(part: object, text: string, known: Fence, make = fence): string {
  let memory = remembered.get(part);
  if (memory === undefined || !isSameFence(memory.known, known)) {
    memory = { known, texts: new Map() };
    remembered.set(part, memory);
  }
  const fenced = memory.texts.get(text) ?? make(text, known);
  memory.texts.set(text, fenced);
  return fenced;
}

function isSameFence(one: Fence, { mark, protocol, tools = [] }: Fence): boolean {
  const others = one.tools ?? [];
  return (
    one.mark === mark &&
    one.protocol === protocol &&
    others.length === tools.length &&
    others.every((tool, index) => tool === tools[index])
  );
}
