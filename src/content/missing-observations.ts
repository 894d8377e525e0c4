import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

/**
 * Adds an observation for every tool call that has none. An edited thread may have such calls. Chat clients
 * and model providers expect an observation after each call.
 *
 * @returns The messages with the new observations, or undefined if none is missing.
 */
export function addMissingObservations(messages: readonly BaseMessage[]): BaseMessage[] | undefined {
  const observed = observedCalls(messages);
  const mended: BaseMessage[] = [];
  let missing: BaseMessage[] = [];
  for (const message of messages) {
    if (!ToolMessage.isInstance(message)) mended.push(...missing.splice(0));
    mended.push(message);
    if (AIMessage.isInstance(message)) missing = observationsFor(message, observed, lost);
  }
  mended.push(...missing);
  return mended.length === messages.length ? undefined : mended;
}

/**
 * Returns an observation for every call in the last messages that has none.
 *
 * @param text Makes the text of an observation from the name of the tool.
 */
export function lastObservations(messages: readonly BaseMessage[], text: (tool: string) => string): BaseMessage[] {
  const last = messages.findLast((message) => !ToolMessage.isInstance(message));
  return AIMessage.isInstance(last) ? observationsFor(last, observedCalls(messages), text) : [];
}

function observedCalls(messages: readonly BaseMessage[]): ReadonlySet<string> {
  return new Set(messages.flatMap((message) => (ToolMessage.isInstance(message) ? [message.tool_call_id] : [])));
}

export function lost(tool: string): string {
  return `What ${tool} returned was lost. The call may or may not have taken effect.`;
}

function observationsFor(
  { tool_calls = [] }: AIMessage,
  observed: ReadonlySet<string>,
  text: (tool: string) => string,
): BaseMessage[] {
  return tool_calls.flatMap(({ id, name }) => {
    if (id === undefined || observed.has(id)) return [];
    const content = text(name);
    return [
      new ToolMessage({
        id: `${id}-observation`,
        tool_call_id: id,
        name,
        content,
        status: "error",
        response_metadata: { outside: [] },
      }),
    ];
  });
}
