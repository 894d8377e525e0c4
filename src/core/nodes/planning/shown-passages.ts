import type { Passage, PromptView } from "../../parts/protocol.js";
import type { AgentStateValues } from "../../state/state.js";

/** Returns the passages that a prompt for an answer shows. There are none if the question needs no documents. */
export function shownPassages({
  retrieval,
  sources,
}: Pick<AgentStateValues, "retrieval" | "sources">): Pick<PromptView, "passages" | "draft"> {
  if (retrieval === null || retrieval.retrievers.length === 0) return {};
  const { notes, draft, refined } = retrieval;
  const passages = sources.map(({ title, heading, passage = "" }, n): Passage => {
    // The headings of a document often begin with its title.
    const place = heading?.startsWith(title) ? heading : [title, heading].filter(Boolean).join(" > ");
    return { number: n + 1, place, text: notes?.[n] ?? passage };
  });
  if (notes !== null) return { passages: passages.filter(({ text }) => text !== "") };
  return draft === "" ? { passages } : { passages: passages.slice(refined), draft };
}
