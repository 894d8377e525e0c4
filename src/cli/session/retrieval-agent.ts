import type { Agent } from "../../agent/create-agent.js";
import type { RetrievalOptions } from "../../retrieval/options.js";
import type { RetrievalFlow } from "../program/retrieval-flow.js";

/** Makes the agent of `--retrieval`. Its code is imported only when it is needed. */
export async function retrievalAgent(
  { combine, translate, grade, check, adaptive }: RetrievalFlow,
  options: Omit<RetrievalOptions, "combine" | "translate" | "grade" | "check" | "adaptive">,
): Promise<Agent> {
  const [{ createRetrievalAgent }, translations] = await Promise.all([
    import("../../retrieval/create-retrieval-agent.js"),
    import("../../retrieval/translation/translation.js"),
  ]);
  const ways = {
    "multi-query": translations.multiQuery,
    decompose: translations.decompose,
    "step-back": translations.stepBack,
    hyde: translations.hyde,
  };
  return createRetrievalAgent({
    ...options,
    ...(combine && { combine }),
    ...(translate && { translate: ways[translate]() }),
    grade,
    check,
    adaptive,
  });
}
