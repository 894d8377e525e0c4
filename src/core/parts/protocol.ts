import type { BaseMessage } from "@langchain/core/messages";
import type { ContentBlock } from "../../content/content-block.js";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";
import type { ChatHistory } from "../state/chat-history.js";
import type { IntermediateStep, ParsedReply, Reply } from "../state/decision.js";

/** A passage of a document. `number` is its number in answers. `place` is the title of the document and the heading. */
export interface Passage {
  readonly number: number;
  readonly place: string;
  readonly text: string;
}

/** The data for a prompt. The same view always renders to the same messages. */
export interface PromptView {
  /** The question of this turn as it was asked. What other agents of an outer graph said since then stands below it. */
  readonly question: string;
  /** The standalone question, if the question was rephrased. Shown after the words of the person. */
  readonly standalone?: string;
  /**
   * The conversation as it stands, with this turn's corrections, and with the system messages first. Only a protocol with
   * native tools gets this field. It contains everything of `question`, `standalone`, `chatHistory.turns` and
   * `intermediateSteps`.
   */
  readonly messages?: readonly BaseMessage[];
  /** The earlier turns, as the memory of the agent keeps them. */
  readonly chatHistory: ChatHistory;
  /** The steps of this turn so far, oldest first. */
  readonly intermediateSteps: readonly IntermediateStep[];
  readonly tools: readonly ToolSpec[];
  /** Worked examples. They take the place of those of the protocol. */
  readonly examples?: readonly string[];
  /** The passages of documents for the answer, in the order of their numbers. Only a retrieval agent has them. */
  readonly passages?: readonly Passage[];
  /** The answer from the passages before, which these refine. */
  readonly draft?: string;
  /**
   * The files of the questions that the prompt shows, oldest first, in the form that the model accepts. The text names each
   * of them. If no message of a prompt has a file, the agent puts them before the text of the question.
   */
  readonly files?: readonly ContentBlock[];
  /** The user's own system prompt. */
  readonly instructions?: string;
  /** The date on which the turn began, as YYYY-MM-DD, if the prompt shows it. */
  readonly currentDate?: string;
}

/** The grammar to which a server holds a model while it decodes: GBNF, or a JSON schema. */
export type ReplyGrammar =
  | { readonly kind: "gbnf"; readonly gbnf: string }
  | { readonly kind: "json-schema"; readonly schema: Readonly<Record<string, unknown>> };

/** A piece of a reply: `answer` is text of the answer, `words` are words that may be a thought or an answer. */
export interface ReplyPiece {
  readonly kind: "words" | "answer";
  readonly text: string;
}

/** Reads one reply while the model writes it. It remembers how far it has read. */
export interface ReplyReader {
  /**
   * Takes the whole reply so far, and returns the pieces to send now. An `answer` must be certain, because it cannot be taken
   * back. The concatenated pieces must not depend on how the reply was cut into chunks. Must not throw, because the reply
   * would be lost.
   *
   * `end` is the place from which the reply counts for nothing, such as an observation that the model invents. The model can be
   * stopped there.
   */
  push(textSoFar: string): { readonly pieces: readonly ReplyPiece[]; readonly end?: number };
}

/** A reply that could not be read. */
export interface Slip {
  /** The reason of the parser: a sentence about the reply, which it calls "it". */
  readonly why: string;
  readonly reply: Reply;
  readonly tools: readonly ToolSpec[];
  /** The number of unreadable replies in a row, this one included. */
  readonly attempt: number;
}

/**
 * A way of talking with a model: `render` writes the prompt, `parse` reads the reply. Each protocol is one file, without
 * state, input or output.
 */
export interface Protocol {
  readonly name: string;
  /** The options of the protocol that are data. Each prompt keeps them, so that it can be shown again. */
  readonly options?: Readonly<Record<string, unknown>>;
  /**
   * The texts at which the model must stop. They are sent only to models that take `stop`. Every reply is cut at them,
   * too.
   */
  readonly stop?: readonly string[];
  /** Tells whether the model gets the tools natively (`bindTools`) and may answer with tool calls. */
  readonly nativeTools?: boolean;
  /**
   * Returns the messages that show the question, the steps so far and the tools. A new step of the turn only adds text
   * at the end. The joined text of the messages starts with that of the prompt before, byte for byte.
   */
  render(view: PromptView): BaseMessage[];
  /**
   * Parses a reply. Must be pure, never throw, and take time linear in the length of the reply. For a reply that cannot be
   * read, returns `unparseable` with a reason that helps the model.
   *
   * The `thought` of a decision is the model's text before its action or answer, without labels. The thought goes to the
   * messages and events of the turn. `cut` says that the provider ended the reply in the middle of its answer: set it on an
   * answer that runs to the end of a truncated reply.
   *
   * @param reply A reply or its text.
   * @param tools The tools or their names.
   */
  parse(reply: Reply | string, tools: readonly (ToolSpec | string)[]): ParsedReply;
  /**
   * Makes the reader of one reply while the model writes it. Default: text before a label or a call is sent as words, line by
   * line. An answer after a label of the react family, or in JSON, is streamed if `parse` reads the reply up to its first letter as
   * that answer. Any other answer is sent when `parse` has read the whole reply.
   */
  reader?(tools: readonly ToolSpec[]): ReplyReader;
  /**
   * Returns the correction after a reply that `parse` could not read. Default: the reason, a quote of the reply, and the
   * examples below. The agent puts a frame of one line before and one line after the correction.
   */
  correct?(slip: Slip): string;
  /**
   * Returns the places of labels that only this protocol knows, such as `Follow up:`. Text from outside gets a mark there.
   * The labels of the react family, calls, tags and `stop` need none.
   */
  labelsIn?(text: string, tools: readonly (ToolSpec | string)[]): readonly number[];
  /**
   * Returns one correct reply with a tool call. The default correction shows it to a model. Returns undefined if there is no
   * tool.
   */
  exampleReply?(tools: readonly ToolSpec[]): string | undefined;
  /** A correct reply with an answer, for the same use. */
  readonly exampleAnswer?: string;
  /**
   * Returns the grammar of correct replies, for servers that decode under a grammar. Left out if the protocol has none.
   */
  grammar?(tools: readonly ToolSpec[]): ReplyGrammar;
}

/** The fence of a prompt. */
export interface ViewFence {
  /** The mark of its turn. It is empty for an agent without a fence. */
  readonly mark: string;
  /** The marks of the turns that it shows, by the ids of the messages of their questions. */
  readonly marks: ReadonlyMap<string, string>;
  /** The largest number of characters of an observation to show. Default: all. */
  readonly most?: number | undefined;
  /** The number of characters to show of some observations, by the ids of their actions. */
  readonly cut?: Readonly<Record<string, number>> | undefined;
}

/**
 * A protocol as an agent speaks it. No text from outside gets into a prompt without its fence. What a user's protocol may
 * leave out has its default here.
 */
export interface FencedProtocol
  extends Pick<Protocol, "name" | "options" | "stop" | "nativeTools" | "exampleAnswer" | "parse"> {
  /** Returns the messages of a prompt. All text from outside in the view is fenced first. */
  render(view: PromptView, fence: ViewFence): BaseMessage[];
  /** Returns the tools as a model gets them natively: descriptions of others are fenced. */
  shownTools(tools: readonly ToolSpec[], mark: string): readonly ToolSpec[];
  reader(tools: readonly ToolSpec[]): ReplyReader;
  correct(slip: Slip): string;
  /** Returns the text that asks for the last reply of a turn. `why` says which limit ends the turn. */
  lastRequest(why: string): string;
}
