import type { Way } from "../../helpers/lines.js";
import type { ChatReply } from "../../helpers/providers/chat.js";
import type { RecordedReply } from "../../helpers/recording-model.js";

/** A call of the tool `look`, as chat completions give it. */
export const call = (id: string, q = id) => ({ id, name: "look", args: JSON.stringify({ q }) });

/** A reply that only says something. */
export const said = (content: string) => ({ content });

export const chat = (...replies: ChatReply[]): Way => ({ way: "streamed", replies });
export const whole = (...replies: ChatReply[]): Way => ({ way: "whole", replies });
export const recorded = (...replies: Partial<RecordedReply>[]): Way => ({ way: "recorded", replies });

/** A line whose model looks and answers in the first turn, and answers in the second. */
export const looking = chat({ calls: [call("call_1", "x")] }, said("It is 5."), said("Cinq."));
