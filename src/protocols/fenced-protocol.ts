import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { checkedResult } from "../base/options.js";
import { hasFiles } from "../content/content.js";
import type { FencedProtocol, PromptView, Protocol } from "../core/parts/protocol.js";
import { type ParsedReply, parsedReplySchema, type Reply } from "../core/state/decision.js";
import { withContent } from "../langgraph/message-form.js";
import { fencedTools, fencedView } from "./fence/fenced-view.js";
import { correction, lastRequest } from "./prompt/correction.js";
import { framed } from "./reading/sections/correction-frame.js";
import { replyText } from "./reading/sections/reply-text.js";
import { LabelReader } from "./streaming/label-reader.js";
import { nativeReader } from "./streaming/native-reader.js";

const readSchema = z.object({
  pieces: z.array(z.object({ kind: z.enum(["words", "answer"]), text: z.string() })),
  end: z.int().min(0).optional(),
});

/**
 * Returns a protocol as an agent speaks it: with its fence, and with the defaults of what it leaves out. What it returns is
 * checked, as a user may have written it.
 *
 * A correction and the last request stand in a frame, by which a copy of one is found in a reply and left out.
 */
export function fencedProtocol(protocol: Protocol): FencedProtocol {
  const { name, options, stop, nativeTools, exampleAnswer } = protocol;
  return {
    name,
    options,
    stop,
    nativeTools,
    exampleAnswer,
    render: (view, fence) => {
      const fenced = fencedView(view, protocol, fence);
      return withFiles(protocol.render(fenced), fenced);
    },
    shownTools: (tools, mark) => fencedTools(tools, { mark, protocol, tools }),
    parse: (reply, tools) =>
      cutAtEnd(reply, checkedResult("protocol", "parse", parsedReplySchema, protocol.parse(reply, tools))),
    reader: (tools) => {
      const own = protocol.reader?.(tools) ?? (nativeTools ? nativeReader(tools) : new LabelReader(protocol, tools));
      return {
        push: (textSoFar) => {
          const { pieces, ...read } = checkedResult("protocol", "reader", readSchema, own.push(textSoFar));
          return { ...read, pieces: pieces.filter(({ text }) => text !== "") };
        },
      };
    },
    correct: (slip) => {
      const text = protocol.correct ? protocol.correct(slip) : correction(protocol, slip);
      return framed(checkedResult("protocol", "correct", z.string(), text));
    },
    lastRequest: (why) => framed(lastRequest(protocol, why)),
  };
}

/** Puts the files of a view before the text of its question, if no message has a file. */
function withFiles(messages: BaseMessage[], { files, question }: PromptView): BaseMessage[] {
  if (files === undefined || messages.some(hasFiles)) return messages;
  const isHuman = (message: BaseMessage) => message.getType() === "human";
  const asks = messages.findLastIndex((message) => isHuman(message) && message.text.includes(question));
  const place = asks < 0 ? messages.findIndex(isHuman) : asks;
  return messages.map((message, n) =>
    n === place ? withContent(message, [...files, { type: "text", text: message.text }]) : message,
  );
}

/** Marks an answer that runs to the end of a reply that the provider cut, if the protocol did not say so. */
function cutAtEnd(reply: Reply | string, parsed: ParsedReply): ParsedReply {
  const { text, cut } = replyText(reply);
  if (parsed.kind !== "finish" || parsed.cut || !cut) return parsed;
  return text.trimEnd().endsWith(parsed.output.trimEnd()) ? { ...parsed, cut } : parsed;
}
