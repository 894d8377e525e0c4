import { isDeepStrictEqual } from "node:util";
import { AIMessage, BaseMessage } from "@langchain/core/messages";
import { withContent } from "../../langgraph/message-form.js";

const originals = new WeakMap<object, BaseMessage>();

/** Returns a copy of a message, which may be changed in place. */
export function copyOf<Message extends BaseMessage>(message: Message): Message {
  const { content } = message;
  const copy = withContent(message, typeof content === "string" ? content : structuredClone(content));
  copy.additional_kwargs = { ...message.additional_kwargs };
  copy.response_metadata = { ...message.response_metadata };
  if (AIMessage.isInstance(copy) && copy.tool_calls?.length) copy.tool_calls = structuredClone(copy.tool_calls);
  originals.set(copy, message);
  return copy;
}

/** Returns the message that a copy was made of, if nobody changed the copy. Anything else is returned as it is. */
export function asGiven<Value>(value: Value): BaseMessage | Value {
  const original = BaseMessage.isInstance(value) ? originals.get(value) : undefined;
  return original !== undefined && isDeepStrictEqual(original, value) ? original : value;
}
