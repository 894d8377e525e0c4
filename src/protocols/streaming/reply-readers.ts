import type { Protocol, ReplyPiece, ReplyReader, ToolSpec } from "../../core/parts/protocol.js";
import { protocolWords } from "../reading/label-words.js";
import { labelOfLine } from "../reading/sections/labels.js";
import { type AnswerReader, AnswerStart } from "./answer-start.js";
import { WordsReader } from "./words-reader.js";

/**
 * Makes the reader of a reply with labels, such as `Final Answer:`, or with an answer in JSON. Its answer goes out as soon as it is
 * certain. The words before that go out as words. Labels, calls and thinking in tags do not go out.
 *
 * The parser of the protocol decides where an answer begins (see {@link AnswerStart}).
 *
 * @param protocol The parser.
 * @param markers Texts of the protocol, beside the labels of the react family, after which the rest of a reply may be the
 *   answer. Default: none.
 */
export function textReader(
  protocol: Pick<Protocol, "parse">,
  tools: readonly ToolSpec[],
  markers: readonly string[] = [],
): ReplyReader {
  const words = new WordsReader(tools, true);
  const start = new AnswerStart(protocol, tools, markers);
  const invented = observationFinder(protocol, tools);
  let answer: AnswerReader | undefined;
  let end: number | undefined;
  return {
    push: (textSoFar) => {
      end ??= invented(textSoFar);
      const reply = textSoFar.slice(0, end);
      answer ??= start.find(reply);
      const pieces = [...piece("words", words.push(reply)), ...piece("answer", answer?.push(reply) ?? "")];
      return { pieces, ...(end !== undefined && { end }) };
    },
  };
}

/**
 * Makes the reader of a reply with native calls. Its text goes out as it comes, without thinking in tags and without calls that
 * the server did not recognise.
 *
 * @param kind What the text is. Default: words, as it may be a thought before calls.
 */
export function nativeReader(tools: readonly ToolSpec[], kind: ReplyPiece["kind"] = "words"): ReplyReader {
  const words = new WordsReader(tools, false);
  return { push: (textSoFar) => ({ pieces: piece(kind, words.push(textSoFar)) }) };
}

function piece(kind: ReplyPiece["kind"], text: string): ReplyPiece[] {
  return text === "" ? [] : [{ kind, text }];
}

/**
 * Makes a function that finds an observation which the model invents after a step of its own. The rest of the reply then counts
 * for nothing. Stop texts find one in the form of the prompt. This finds others, such as `**Observation:**`.
 *
 * @returns A function that takes the whole reply so far, and returns the place of the observation.
 */
function observationFinder(
  protocol: Pick<Protocol, "parse">,
  tools: readonly ToolSpec[],
): (reply: string) => number | undefined {
  let start = 0;
  // A reply with more observations is broken.
  let looksLeft = 20;
  const isInvented = (reply: string, line: string): boolean => {
    const label = labelOfLine(line, protocolWords);
    if (label?.kind !== "observation" || label.weak || !label.colon || looksLeft === 0) return false;
    looksLeft -= 1;
    // The parser decides: it reads the same step with the observation and without it, whatever follows.
    const observed = `${reply.slice(0, start + label.end)} 1`;
    const texts = [reply.slice(0, start), observed, `${observed}\nSo the final answer is: 2`];
    const readings = texts.map((text) => protocol.parse(text, tools));
    const [step, ...same] = readings.map((reading) => JSON.stringify(reading));
    return readings[0]?.kind !== "unparseable" && same.every((reading) => reading === step);
  };
  return (reply) => {
    for (let end = 0; end >= 0; ) {
      end = reply.indexOf("\n", start);
      if (start > 0 && isInvented(reply, reply.slice(start, end < 0 ? undefined : end))) return start;
      if (end >= 0) start = end + 1;
    }
    return undefined;
  };
}
