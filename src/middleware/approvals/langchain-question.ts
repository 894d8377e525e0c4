import { isDeepStrictEqual } from "node:util";
import { AIMessage } from "@langchain/core/messages";
import { z } from "zod";
import { isRecord } from "../../base/is-record.js";
import type { AskedBy } from "../../core/parts/plugin.js";
import type { ApprovalRequest } from "../../core/state/approval.js";
import { digestOfCall } from "../../tool-inputs/call-digest.js";
import { decisionWords } from "../../turns/decision-words.js";

const actionSchema = z.object({
  name: z.string(),
  args: z.record(z.string(), z.unknown()),
  description: z.string().default(""),
});
const questionSchema = z.object({
  actionRequests: z.array(actionSchema).min(1),
  reviewConfigs: z.array(z.object({ actionName: z.string(), allowedDecisions: z.array(z.string()) })),
});

/** Adds requests in our form to a question in that of LangChain, so that it is shown and answered as our own are. */
export function withRequests(value: unknown, { by, messages }: AskedBy): unknown {
  const { data } = questionSchema.safeParse(value);
  if (data === undefined || !isRecord(value)) return value;
  const said = messages.findLast((message) => AIMessage.isInstance(message));
  return { ...value, kind: "approval", requests: requestsOf(data, by, said), complaints: [], by };
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
