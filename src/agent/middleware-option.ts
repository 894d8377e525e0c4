import { z } from "zod";
import { give } from "../base/options.js";

const method = z.custom((value) => typeof value === "function", give("a function"));
const hook = z.union([method, z.looseObject({ hook: method, canJumpTo: z.array(z.string()).optional() })], {
  error: "it is no hook; give a function, or { hook, canJumpTo }.",
});
const transformers = "they are not supported; read the stream of the agent.";

/** Makes the schema of the option `middleware`. Those of LangChain are known by their fields, as the package is none of ours. */
export function middlewareOption(tools: z.ZodType) {
  const one = z.looseObject(
    {
      name: z.string(give("a name")),
      tools: tools.optional(),
      beforeAgent: hook.optional(),
      beforeModel: hook.optional(),
      wrapModelCall: method.optional(),
      afterModel: hook.optional(),
      wrapToolCall: method.optional(),
      afterAgent: hook.optional(),
      streamTransformers: z.array(z.unknown()).max(0, transformers).optional(),
    },
    give('a middleware, such as todoListMiddleware() of the package "langchain"'),
  );
  return z.array(one, give("a list of middleware")).superRefine((all, { addIssue }) => {
    const names = all.map(({ name }) => name);
    const twice = names.findIndex((name, n) => names.indexOf(name) < n);
    if (twice < 0) return;
    const message = `two middleware are named ${JSON.stringify(names[twice])}; give one another name.`;
    addIssue({ code: "custom", path: [twice], message });
  });
}
