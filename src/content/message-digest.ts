import { hash } from "node:crypto";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { perObject } from "../base/per-object.js";

/** Returns a digest of all fields of a message that a package may send. A text is hashed as it is, as most bytes are text. */
export const digestOfMessage = perObject((message: BaseMessage): string => {
  const { id, name, content, additional_kwargs, response_metadata } = message;
  const calls = AIMessage.isInstance(message) ? message.tool_calls : [];
  const result = ToolMessage.isInstance(message) ? [message.tool_call_id, message.status] : [];
  const isText = typeof content === "string";
  const fields = [message.getType(), id, name, additional_kwargs, response_metadata, calls, result, isText || content];
  return hash("sha256", JSON.stringify(fields) + (isText ? content : ""));
});
