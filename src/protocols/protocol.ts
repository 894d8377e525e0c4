import type { BaseMessage } from "@langchain/core/messages";
import type { ChatHistory } from "../turn/chat-history.js";
import type { IntermediateStep, ParsedReply, Reply } from "../turn/decision.js";

/**
 * The description of a tool for a protocol. It is enough to show the tool to a model and to recognise it in a reply.
 */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** The JSON schema of the arguments. Left out for a tool that takes one plain string. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** True if others wrote the description, such as an MCP server. A prompt then shows it as text from outside. */
  readonly untrusted?: boolean;
}

/** A passage of a document. `number` is its number in answers. `place` is the title of the document and the heading. */
export interface Passage {
  readonly number: number;
  readonly place: string;
  readonly text: string;
}

/** The data for a prompt. The same view always renders to the same messages. */
export interface PromptView {
  /**
   * The question of this turn, standing on its own if it was rephrased. What other agents of an outer graph said since
   * then stands below it.
   */
  readonly question: string;
  /** Tells whether `question` was rephrased. If so, a prompt need not show the chat history. */
  readonly rephrased: boolean;
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
  /** True if the model takes images. A protocol with native tools then shows the images in results. */
  readonly images?: boolean;
  /** The user's own system prompt. */
  readonly instructions?: string;
  /** The date on which the turn began, as YYYY-MM-DD, if the prompt shows it. */
  readonly currentDate?: string;
}

/** The grammar to which a server holds a model while it decodes: GBNF, or a JSON schema. */
export type ReplyGrammar =
  | { readonly kind: "gbnf"; readonly gbnf: string }
  | { readonly kind: "json-schema"; readonly schema: Readonly<Record<string, unknown>> };

/**
 * A way of talking with a model. It writes the prompt, and it reads the reply. Each protocol is one file, with its
 * prompt above and its parser below. A protocol keeps no state and does no input or output.
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
  /** True if a reply is an answer as a whole, without calls. It is then streamed as one. */
  readonly onlyAnswers?: boolean;
  /**
   * Texts after which the rest of a reply may be the answer, for streaming it. Labels such as `Final Answer:` and JSON
   * with `"action": "Final Answer"` need none. `parse` decides: it reads the reply up to that place, with a word as the
   * answer.
   */
  readonly answerMarkers?: readonly string[];
  /**
   * Returns the messages that show the question, the steps so far and the tools. A new step of the turn only adds text
   * at the end. The joined text of the messages starts with that of the prompt before, byte for byte.
   */
  render(view: PromptView): BaseMessage[];
  /**
   * Reads a reply. It is pure and never throws, and its time is linear in the length of the reply. It returns
   * `unparseable` for a reply that it cannot read, with a reason that helps the model.
   *
   * The `thought` of a decision is the model's text before its action or answer, without labels. It goes to the
   * messages and events of the turn. `cut` says that the provider ended the reply in the middle of its answer.
   *
   * @param reply A reply or its text.
   * @param tools The tools or their names.
   */
  parse(reply: Reply | string, tools: readonly (ToolSpec | string)[]): ParsedReply;
  /**
   * Returns the places of labels that only this protocol knows, such as `Follow up:`. Text from outside gets a mark there.
   * The labels of the react family, calls, tags and `stop` need none.
   */
  labelsIn?(text: string, tools: readonly (ToolSpec | string)[]): readonly number[];
  /**
   * Returns one correct reply with a tool call. A correction shows it to a model. Returns undefined if there is no
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
