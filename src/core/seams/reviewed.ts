import { isDeepStrictEqual } from "node:util";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { GraphInterrupt, isGraphInterrupt } from "@langchain/langgraph";
import { z } from "zod";
import { isRecord } from "../../base/is-record.js";
import { type ApprovalRequest, digestOfCall } from "../state/approval.js";
import { decisionWords } from "../state/decision-types.js";

const actionSchema = z.object({
  name: z.string(),
  args: z.record(z.string(), z.unknown()),
  description: z.string().default(""),
});
const questionSchema = z.object({
  actionRequests: z.array(actionSchema).min(1),
  reviewConfigs: z.array(z.object({ actionName: z.string(), allowedDecisions: z.array(z.string()) })),
});

/**
 * Adds requests in our form to a question in that of LangChain, so that it is shown and answered as our own are. Any other question
 * and any other error stay as they are.
 *
 * @param by The name of the middleware that asks.
 * @param messages The messages, the last of which makes the calls.
 */
export function withRequests(error: unknown, by: string, messages: readonly BaseMessage[]): unknown {
  if (!isGraphInterrupt(error)) return error;
  const said = messages.findLast((message) => AIMessage.isInstance(message));
  const interrupts = error.interrupts.map(({ value, ...interrupt }) => {
    const { data } = questionSchema.safeParse(value);
    if (data === undefined || !isRecord(value)) return { ...interrupt, value };
    const own = { kind: "approval", requests: requestsOf(data, by, said), complaints: [], by };
    return { ...interrupt, value: { ...value, ...own } };
  });
  return new GraphInterrupt(interrupts);
}

function requestsOf(
  { actionRequests, reviewConfigs }: z.infer<typeof questionSchema>,
  by: string,
  said: AIMessage | undefined,
): ApprovalRequest[] {
  // A middleware may ask about what is no call, too.
  const calls = [...(said?.tool_calls ?? []), ...actionRequests].map(({ name, args }) => ({
    name,
    args,
    isAsked: false,
  }));
  return actionRequests.map(({ name: tool, args: input, description }) => {
    const asked = { name: tool, args: input, isAsked: false };
    const place = calls.findIndex((call) => isDeepStrictEqual(call, asked));
    calls[place] = { ...asked, isAsked: true };
    const { allowedDecisions: words = [] } = reviewConfigs.find(({ actionName }) => actionName === tool) ?? {};
    const allowed = words.flatMap((word) => decisionWords.get(word) ?? []);
    const id = `${said?.id}-${place + 1}`;
    const why = `The middleware ${by} of the agent asks.`;
    return { id, tool, input, description, why, allowed, digest: digestOfCall(tool, input) };
  });
}
