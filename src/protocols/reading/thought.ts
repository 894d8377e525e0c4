import type { Section } from "./sections/sections.js";

/** Returns the thought before an action or an answer, without labels. */
export function thoughtBefore(sections: readonly Section[], place: number): string {
  return sections
    .filter(({ kind, start }) => (kind === "text" || kind === "thought") && start < place)
    .map(({ label, value, end }) => questionIn(label?.word) + value.slice(0, Math.max(0, place - (end - value.length))))
    .map((words) => withoutOpening(words.trim()))
    .filter((words) => words !== "")
    .join("\n");
}

/** Returns the label "Do I need to use a tool? Yes", as it also belongs to the words of the model. */
function questionIn(word = ""): string {
  return word.includes("?") ? word : "";
}

const opening = /\s*(?:(```|''')\w{0,12}|<\w{1,20}>|\[TOOL_CALLS\]|\*\*)?\s*\[?$/;

/** Removes the fence, tag, bracket or emphasis at the end of a thought, which opens the action that follows. */
export function withoutOpening(thought: string): string {
  const end = thought.slice(-60);
  const [whole, fence] = opening.exec(end) ?? [];
  const closes = fence !== undefined && thought.split(fence).length % 2 === 1;
  return whole === undefined || closes ? thought : thought.slice(0, thought.length - whole.length);
}
