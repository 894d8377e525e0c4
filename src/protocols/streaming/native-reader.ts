import type { ReplyPiece, ReplyReader } from "../../core/parts/protocol.js";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";
import { callSigns } from "../reading/sections/held-signs.js";
import { endOfThinking } from "../reading/sections/special-tokens.js";
import { ReplyWords } from "./reply-words.js";

/**
 * Makes the reader of a reply with native calls. Its text goes out as it comes, without thinking in tags and up to what may be a
 * call that the server did not recognise.
 *
 * @param kind What the text is. Default: words, as it may be a thought before calls.
 */
export function nativeReader(tools: readonly ToolSpec[], kind: ReplyPiece["kind"] = "words"): ReplyReader {
  const words = new ReplyWords(callSigns(tools));
  let start: number | undefined;
  return {
    push: (textSoFar) => {
      start ??= endOfThinking(textSoFar);
      if (start === undefined) return { pieces: [] };
      words.skip(start);
      return { pieces: [{ kind, text: words.push(textSoFar) }] };
    },
  };
}
