import type { BaseMessage } from "@langchain/core/messages";
import type { ChatHistory } from "../turn/chat-history.js";
import type { IntermediateStep, ParsedReply, Reply } from "../turn/decision.js";

/** What a protocol needs to know of a tool: enough to describe it to a model and to recognise it in a reply. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments. Left out for a tool that takes one plain string. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** All that a prompt may show. Plain data: the same view always renders to the same messages. */
export interface PromptView {
  /** This turn's question, standing on its own where it was rephrased. */
  readonly question: string;
  /** Whether `question` was made to stand on its own; if so, a prompt need not show the chat history. */
  readonly rephrased: boolean;
  /** Earlier turns, as the agent's memory keeps them. */
  readonly chatHistory: ChatHistory;
  /** This turn's steps so far, oldest first. */
  readonly intermediateSteps: readonly IntermediateStep[];
  readonly tools: readonly ToolSpec[];
  /** The user's own system prompt. */
  readonly instructions?: string;
  /** The day the turn began, as YYYY-MM-DD, when the prompt is to tell it. */
  readonly currentDate?: string;
}

/** What a server that decodes under a grammar holds the model to: GBNF, or a JSON schema. */
export type ReplyGrammar =
  | { readonly kind: "gbnf"; readonly gbnf: string }
  | { readonly kind: "json-schema"; readonly schema: Readonly<Record<string, unknown>> };

/**
 * A way of talking with a model: what it is shown, and how its reply is read. Each protocol is one file with its prompt
 * above and its parser below. A protocol keeps no state and does no input or output.
 */
export interface Protocol {
  readonly name: string;
  /** Where the model must stop. Sent only to models that take `stop`; the reply is always cut here too. */
  readonly stop?: readonly string[];
  /** The model is given the tools natively (`bindTools`), and may answer with tool calls. */
  readonly nativeTools?: boolean;
  /** Texts after which the rest of a reply is the answer, for streaming it. Left out: the answer comes in one piece. */
  readonly answerMarkers?: readonly string[];
  /**
   * The messages that show the question, the steps so far and the tools. Within a turn, appending a step only ever
   * appends to what was shown: the text of the messages joined starts with that of the prompt before, byte for byte.
   */
  render(view: PromptView): BaseMessage[];
  /**
   * Reads a reply. Pure, linear in the reply's length, never throws: what it cannot read becomes `unparseable`, with a
   * reason the model can act on. Takes a reply or its text, and tools or their names. The `thought` of a decision is what
   * the model wrote before its action or answer, without labels: it goes to the messages and events of the turn.
   */
  parse(reply: Reply | string, tools: readonly (ToolSpec | string)[]): ParsedReply;
  /** One correct reply that uses a tool, to show a model that wrote an unreadable one; none when there is no tool. */
  exampleReply?(tools: readonly ToolSpec[]): string | undefined;
  /** One correct reply that gives an answer, for the same use. */
  readonly exampleAnswer?: string;
  /** The replies that are right in this protocol, for servers that decode under a grammar. Left out: it has none. */
  grammar?(tools: readonly ToolSpec[]): ReplyGrammar;
}
