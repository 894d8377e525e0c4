export { toTurnInput } from "./to-turn-input.js";
export { toUIMessageStream } from "./to-ui-message-stream.js";
export type { FinishReason, TurnChunk, TurnData, TurnMetadata } from "./turn-chunk.js";
