import { mapTexts } from "../../base/map-texts.js";
import { markFilter } from "../../content/marks.js";
import type { Plugin, Said, TurnEnd, WrittenCall } from "../../core/parts/plugin.js";
import { isLimitSentence } from "../../core/parts/reached.js";
import { runOf } from "../../core/run/run.js";
import { endOf } from "../../core/state/decision.js";
import { marksShown } from "../../core/state/mark.js";
import type { OutputFormat } from "./output-format.js";
import { outputRequest } from "./output-protocol.js";
import { outputReader } from "./output-reader.js";

/**
 * Makes the plug-in for answers as data: a model is asked for the form, its answer is read in it, and the state has the answer as
 * data. An answer may lose a fence, or be none, so it is sent as a whole. Until then `output-delta` tells what is written of it.
 *
 * @param format The form of the answers. The protocols of the agent know it, too.
 */
export function output(format: OutputFormat): Plugin {
  return {
    name: "output",
    changesReplies: true,
    request: (request) => outputRequest(format, request),
    listen: ({ protocol, tools, state, config }) => {
      const read = outputReader(format, protocol, tools);
      const marks = marksShown(state);
      const run = runOf(config);
      const words = (text: string, call?: WrittenCall) => {
        const part = read(text, call);
        if (part === undefined) return;
        run.turn.hasParts = true;
        run.emit({ type: "output-delta", output: mapTexts(part, (words) => markFilter(marks).push(words)) });
      };
      return { words };
    },
    read: (said) => inFormat(format, said),
    endTurn: (end) => {
      const data = dataOf(format, end);
      if (data !== undefined) return { ...end, update: { ...end.update, ...data }, told: { ...end.told, ...data } };
      if (runOf(end.config).turn.hasParts) runOf(end.config).resetAnswer();
      return end;
    },
  };
}

/**
 * Puts an answer into the format. An answer that does not fit is unreadable. A part of an answer stays what it is: the same question
 * would be cut again.
 */
function inFormat(format: OutputFormat, said: Said): Said {
  if (said.kind !== "finish") return said;
  const read = format.read(said.output);
  if (read.kind === "fits") return { ...said, output: read.json, cut: undefined };
  if (said.cut) return said;
  return { kind: "unparseable", why: `Its final answer is not right. ${read.why}`, isAnswer: true };
}

/** Returns the answer as data, if it fits. A refusal or a sentence about a limit is no answer. */
function dataOf(format: OutputFormat, { answer, stopReason, why }: TurnEnd): { readonly output: unknown } | undefined {
  if (endOf(stopReason) === "none" || stopReason === "refused" || isLimitSentence(answer, why)) return undefined;
  const read = format.read(answer);
  return read.kind === "fits" ? { output: JSON.parse(read.json) } : undefined;
}
