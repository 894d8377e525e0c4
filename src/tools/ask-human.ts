import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { interrupt } from "@langchain/langgraph";
import { z } from "zod";

/**
 * A tool by which the model asks the person a question. The run stops with the question as an approval request, and goes
 * on with the decision `answer` (see `decide`). The answer becomes the observation. This needs a checkpointer.
 *
 * @example
 * const agent = createAgent({ model, tools: [askHuman()], checkpointer });
 * const state = await agent.invoke({ messages: "Book a table." }, config);
 * const [question] = approvalRequests(state); // { tool: "ask_human", input: { question: "For when?" }, … }
 * await agent.invoke(decide({ [question.id]: { type: "answer", answer: "Tonight at 8." } }), config);
 */
export function askHuman(): StructuredToolInterface {
  // An agent of Glassloop puts the answer in the place of the call. Other agents run the tool.
  return tool(({ question }) => String(interrupt({ question })), {
    name: "ask_human",
    description:
      "Asks the person you work for a question, and returns their answer. Use it only when you cannot go on without " +
      "something that only they know.",
    schema: z.object({ question: z.string().describe("The question, in one or two sentences.") }),
    metadata: { approve: ["answer", "refuse"] },
  });
}
