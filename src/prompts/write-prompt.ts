import type { BaseMessage } from "@langchain/core/messages";
import type { PromptOfStep, WrittenPrompt } from "../core/parts/prompts.js";
import type { FencedProtocol } from "../core/parts/protocol.js";
import { nothingShortened, type PromptRecord, type Shortened, shortenedBefore } from "../core/state/prompt-record.js";
import type { AgentStateValues } from "../core/state/state.js";
import { formFor } from "../provider-forms/form-for.js";
import { marksOf } from "./conversation.js";
import { promptView } from "./prompt-view.js";
import { shortenToFit } from "./shortened-view.js";

/** Writes the prompt for the reply of a step. The oldest parts of it are shown only in part if it would not fit. */
export async function writePrompt({ protocol, record, state, request, room }: PromptOfStep): Promise<WrittenPrompt> {
  const render = (shortened: Shortened) => promptMessages(protocol, record, state, shortened, request);
  const before = shortenedBefore(state);
  const messages = render(before);
  await room.findWindow(messages);
  if (room.fits(messages)) return { messages, shortened: before };
  const view = promptView(protocol, record, state, { ...nothingShortened, turns: before.turns });
  const shortened = shortenToFit(view, state.messages, before, record, (more) => room.fitsWell(render(more)));
  return { messages: render(shortened), shortened };
}

/** Returns the messages of a prompt. See {@link promptView}. */
export function promptMessages(
  protocol: FencedProtocol,
  record: PromptRecord,
  state: AgentStateValues,
  shortened: Shortened,
  request?: string,
): BaseMessage[] {
  const fence = {
    mark: state.turn.mark,
    marks: marksOf(state),
    most: record.observationCharacters,
    cut: shortened.cut,
  };
  const rendered = protocol.render(promptView(protocol, record, state, shortened, request), fence);
  return formFor(record.form, rendered, record.tools).messages;
}
