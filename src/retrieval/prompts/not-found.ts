import type { Retrieval, Searched } from "../../turn/retrieval.js";

/** Writes the answer of a turn that found nothing that helps. It says what was searched. */
export function notFoundAnswer({ searched }: Pick<Retrieval, "searched">): string {
  const places = [...new Set(searched.map(({ retriever }) => retriever))];
  const tried = places.map((place) => `${place} (${quoted(searched.filter(({ retriever }) => retriever === place))})`);
  const failed = searched.filter(({ error }) => error !== undefined);
  return [
    `I found nothing that answers this question. I searched: ${tried.join("; ")}.`,
    ...[...new Set(failed.map(({ retriever }) => retriever))].map((place) => `A search in ${place} failed.`),
  ].join(" ");
}

function quoted(searches: readonly Searched[]): string {
  const queries = [
    ...new Set(searches.map(({ query }) => `"${query.length > 200 ? `${query.slice(0, 200)}…` : query}"`)),
  ];
  return queries.join(", ");
}
