import type { Plugin, TurnEnd } from "../../core/parts/plugin.js";
import { textOf } from "../../core/state/chat-history.js";
import type { Citation, CitedSource, Source } from "../../core/state/source.js";
import { isEmptyHistory } from "../../prompts/chat-history-text.js";
import { checkCitations } from "./check-citations.js";
import { numberSources } from "./numbered-sources.js";

/** Numbers the sources that results name, and reports how answers cite them. */
export const citations: Plugin = {
  name: "citations",
  beginTurn: ({ state, chatHistory }) => ({
    // Earlier turns that prompts show name their sources by numbers.
    ...(state.sources.length > 0 && isEmptyHistory(chatHistory) && { sources: [] }),
    ...(state.citations.length > 0 && { citations: [] }),
  }),
  showResults: ({ state, results, update }) => {
    const numbered = numberSources(state.sources, results);
    const isNew = numbered.sources.length > state.sources.length;
    return { state, results: numbered.results, update: { ...update, ...(isNew && { sources: numbered.sources }) } };
  },
  endTurn: (end) => {
    const citations = citationsIn(end);
    if (citations.length === 0) return end;
    const sources = citedSources(citations, end.state.sources);
    return {
      ...end,
      update: { ...end.update, citations },
      before: [...end.before, { type: "citations", citations }],
      told: { ...end.told, ...(sources.length > 0 && { sources }) },
    };
  },
};

/** Returns the citations in an answer of words. It may also quote what the user said. */
function citationsIn({ answer, state: { messages, sources, retrieval }, update }: TurnEnd): Citation[] {
  if ("output" in update || sources.length === 0) return [];
  const asked = messages.filter((each) => each.getType() === "human").map(textOf);
  return checkCitations(answer, sources, asked.join("\n"), retrieval?.leftOut);
}

/** Returns the sources that an answer cites, in the order in which it does, without their texts. */
function citedSources(citations: readonly Citation[], sources: readonly Source[]): CitedSource[] {
  return [...new Set(citations.map(({ source }) => source))].flatMap((at) => {
    const source = at === null ? undefined : sources[at];
    if (at === null || source === undefined) return [];
    const { title, address, heading } = source;
    return [{ number: at + 1, title, address, ...(heading !== undefined && { heading }) }];
  });
}
