export type { ContentBlock } from "../content/content-block.js";
export type {
  Passage,
  PromptView,
  Protocol,
  ReplyGrammar,
  ReplyPiece,
  ReplyReader,
  Slip,
} from "../core/parts/protocol.js";
export type { ToolSpec } from "../tool-inputs/tool-spec.js";
export { type ConversationalOptions, conversational } from "./conversational.js";
export { type ProtocolName, protocolNames } from "./names.js";
export type { PromptOptions, PromptParts } from "./prompt/prompt-parts.js";
export { react } from "./react.js";
export { selfAsk } from "./self-ask.js";
export { structuredChat } from "./structured-chat.js";
export { type ToolCallingOptions, toolCalling } from "./tool-calling.js";
