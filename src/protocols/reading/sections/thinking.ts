/** What a reply says, without what the model only thought. */
export interface Spoken {
  readonly text: string;
  /** Whether the reply has only thinking in it, or ends within some: then its text is that. */
  readonly stillThinking: boolean;
}

const thinkingTag =
  /<(\/?)(?:think|thinking|thought|reasoning|reflection)>|<\|(begin|end)_of_thought\|>|[◁](\/?)think[▷]/g;

/** A tag that the protocol's own words follow at once opens no thinking: the model took it for the beginning of a reply. */
const ownWords = /^\s*\**(?:thought|action|final answer|do i need to use a tool)\b/i;

/** Whether a text begins with words of the protocols' own. */
export function speaksProtocol(text: string): boolean {
  return ownWords.test(text.slice(0, 100));
}

/** Drops blocks of thinking. When only the end of one is there, its beginning was in the prompt. */
export function withoutThinking(text: string): Spoken {
  let spoken = "";
  let place = 0;
  let thinkingSince: number | undefined;
  for (const match of text.matchAll(thinkingTag)) {
    const closes = match[1] === "/" || match[2] === "end" || match[3] === "/";
    const end = match.index + match[0].length;
    if (!closes) {
      if (thinkingSince === undefined) spoken += `${text.slice(place, match.index)}\n`;
      thinkingSince ??= end;
    } else {
      if (thinkingSince === undefined) spoken = "";
      thinkingSince = undefined;
    }
    place = end;
  }
  const rest = text.slice(thinkingSince ?? place);
  const stillThinking = thinkingSince !== undefined && !speaksProtocol(rest);
  return { text: spoken.trim() === "" ? rest : spoken + rest, stillThinking };
}
