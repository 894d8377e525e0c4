import { type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { checkedResult } from "../base/options.js";
import type { Hooks } from "../core/parts/hooks.js";
import type { Plugin } from "../core/parts/plugin.js";
import { runView } from "../core/run/run-view.js";
import { replySchema } from "../core/state/decision.js";
import { withContent } from "../langgraph/message-form.js";

const messagesSchema = z.array(z.custom<BaseMessage>(isBaseMessage)).min(1);

/** Makes a plug-in of the hooks of an agent. It has a wrapper only where there is a hook. */
export function hooksPlugin({ beforeModel, afterModel, wrapToolCall }: Hooks): Plugin {
  return {
    name: "hooks",
    changesPrompts: beforeModel !== undefined,
    changesReplies: afterModel !== undefined,
    ...((beforeModel ?? afterModel) && {
      wrapSend: async (prompt, next) => {
        const view = runView(prompt.state, prompt.config);
        // The messages of a prompt are objects of the state, so a hook gets copies, which it may change in place.
        const copies = () => prompt.messages.map((message) => withContent(message, structuredClone(message.content)));
        const changed = await beforeModel?.({ messages: copies(), model: prompt.model, ...view });
        const messages =
          changed === undefined ? prompt.messages : checkedResult("hooks", "beforeModel", messagesSchema, changed);
        const reply = await next({ ...prompt, messages });
        const other = await afterModel?.({ reply, ...view });
        return other === undefined ? reply : checkedResult("hooks", "afterModel", replySchema, other);
      },
    }),
    ...(wrapToolCall && {
      wrapAction: async (request, next) =>
        wrapToolCall({ action: structuredClone(request.action), ...runView(request.state, request.config) }, () =>
          next(request),
        ),
    }),
  };
}
