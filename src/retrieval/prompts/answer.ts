import { AIMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { paragraphs } from "../../base/paragraphs.js";
import type { PromptView, Protocol } from "../../core/parts/protocol.js";
import { rememberedAnswer } from "../../prompts/chat-history-text.js";
import { correctionMessages } from "../../prompts/corrections.js";
import { questionText } from "../../protocols/prompt/prompt-parts.js";
import { nativeReader } from "../../protocols/streaming/native-reader.js";
import { toolCalling } from "../../protocols/tool-calling.js";
import { onlyData, passagePlaces, passagesText } from "./prompt-parts.js";

const plain = toolCalling();

/**
 * The protocol of an answer from passages. The reply of the model is the answer. It cites passages by their numbers. The
 * prompt is the "stuff" chain of LangChain's RetrievalQA, with the chat history as messages.
 */
export const answerProtocol: Protocol = {
  ...plain,
  name: "retrieval",
  reader: (tools) => nativeReader(tools, "answer"),
  labelsIn: passagePlaces,
  parse: (reply) => {
    const said = plain.parse(reply, []);
    return said.kind === "action" ? { kind: "unparseable", why: noTools } : said;
  },
  exampleAnswer: "the answer to the question, with the numbers of its passages, such as [1]",
  // The question must stand below its passages, so the prompt is made of the chat history, and not of the messages.
  render: (view) =>
    plain.render({
      ...view,
      instructions: paragraphs(view.instructions ?? "", wording(view)),
      messages: [
        ...(view.messages ?? []).filter((message) => SystemMessage.isInstance(message)),
        ...view.chatHistory.turns.flatMap((turn) => [
          new HumanMessage(turn.question),
          new AIMessage(rememberedAnswer(turn)),
        ]),
        new HumanMessage(paragraphs(passagesPart(view), draftPart(view), questionText(view))),
        ...view.intermediateSteps.flatMap(correctionMessages),
      ],
    }),
};

const noTools = "It calls a tool, and there is none. Answer in words, from the passages.";

function wording({ passages, draft }: PromptView): string {
  if (passages === undefined) return withoutPassages;
  return draft === undefined ? fromPassages : `${fromPassages} ${refined}`;
}

const fromPassages = [
  "Answer the question from the passages.",
  "Use only what they say. If they do not answer the question, say that you do not know.",
  "After each statement write the number of its passage, such as [1].",
  "When you quote a passage, quote its exact words.",
  onlyData,
].join(" ");

const refined =
  "There is an answer already, from passages that came before. Make it better with these passages, and keep its numbers. " +
  "If they add nothing, repeat it.";

const withoutPassages =
  "Answer the question from the conversation and from what you know. No documents were searched for it.";

function passagesPart({ passages }: PromptView): string {
  return passages === undefined ? "" : `Passages:\n\n${passagesText(passages)}`;
}

function draftPart({ draft }: PromptView): string {
  return draft === undefined ? "" : `Answer so far: ${draft}`;
}
