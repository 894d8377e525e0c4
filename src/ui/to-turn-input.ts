import { HumanMessage } from "@langchain/core/messages";
import { z } from "zod";
import { checkedOption, give } from "../base/options.js";
import { readDataUrl } from "../content/file-block.js";
import type { ApprovalDecision } from "../core/state/approval.js";
import { decide } from "../turns/approvals.js";

const text = z.string();
const words = z.object({ type: z.literal("text"), text });
const file = z
  .object({ type: z.literal("file"), mediaType: text, url: text, filename: text.optional() })
  .transform(({ mediaType, url, filename }) => {
    const [type = "file"] = /^(?:image|audio|video)(?=\/)/.exec(mediaType) ?? [];
    const [, data] = readDataUrl(url);
    const content = data === undefined ? { url } : { data };
    return { type, mimeType: mediaType, ...content, ...(filename !== undefined && { metadata: { filename } }) };
  });
const question = z
  .object({ role: z.literal("user"), parts: z.array(z.union([words, file])) })
  .transform(({ parts: [first, ...more] }) => {
    // Some servers take a text, and no list of blocks.
    const content = more.length === 0 && first && "text" in first ? first.text : [first ?? [], more].flat();
    return { messages: [new HumanMessage({ content })] };
  });

const approval = z
  .object({ id: text, approved: z.boolean(), reason: text.optional(), signature: text.optional() })
  .transform(({ id, approved, reason, signature: digest }): [string, ApprovalDecision] => {
    return [id, approved ? { type: "approve", digest } : { type: "refuse", reason, digest }];
  });
const responded = z.object({ state: z.literal("approval-responded"), approval });
const decisions = z
  .object({ role: z.literal("assistant"), parts: z.array(z.unknown()) })
  .transform(({ parts }) => parts.flatMap((part) => responded.safeParse(part).data ?? []))
  .refine((given) => given.length > 0)
  .transform((given) => decide(Object.fromEntries(given.map(({ approval }) => approval))));

const lastMessage = z.union([question, decisions], give("messages of useChat, the last with a question or decisions"));

/**
 * Makes the input of a turn of the messages of `useChat`: the question in the last one, or the decisions of a person in it
 * (`addToolApprovalResponse`). The thread has the earlier ones.
 *
 * @param messages What `useChat` sends. A text is a text. A file is a block of LangChain, with its data or its URL.
 * @returns The input for `streamTurn` or `agent.invoke`.
 * @throws InvalidOptionError when the last message is neither a question in texts and files, nor has a decision.
 * @example
 * streamTurn(agent, toTurnInput(messages), { configurable: { thread_id: id } });
 */
export function toTurnInput(messages: unknown): { messages: HumanMessage[] } | ReturnType<typeof decide> {
  return checkedOption("messages", lastMessage, Array.isArray(messages) ? messages.at(-1) : messages);
}
