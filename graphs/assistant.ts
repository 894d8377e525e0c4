import { fileURLToPath } from "node:url";
import { z } from "zod";
import { type AgentOptions, askHuman, buffer, calculator, documentSearch, summary, window } from "../src/index.js";

/** The tools that an assistant may have. */
export const tools = {
  calculator: calculator(),
  documents: documentSearch({ folder: fileURLToPath(new URL("../knowledge", import.meta.url)) }),
  ask_human: askHuman(),
};
const toolNames = z.enum(["calculator", "documents", "ask_human"]);

const memories = { buffer: () => buffer(), window, summary };

/**
 * The settings that all graphs have: a form in Studio, and `context` in a program. Studio shows a setting at the nodes that use it.
 *
 * @param writers The nodes that write answers.
 */
function speakerSettings(...writers: string[]) {
  return z.strictObject({
    model: z
      .string()
      .default(process.env.GLASSLOOP_MODEL ?? "offline")
      .meta({
        title: "Model",
        description: '"openai:NAME", "provider:NAME", or "offline": rules, no language model.',
        langgraph_nodes: ["rephrase-question", ...writers],
      }),
    instructions: z.string().default("").meta({
      title: "Instructions",
      description: "Who the agent is, and how it answers.",
      langgraph_nodes: writers,
      langgraph_type: "prompt",
    }),
    memory: z
      .enum(["buffer", "window", "summary"])
      .default("buffer")
      .meta({
        title: "Memory",
        description: "The earlier turns in prompts: all, the newest, or these and a summary.",
        langgraph_nodes: ["rephrase-question"],
      }),
    memoryTurns: z
      .int()
      .min(1)
      .max(100)
      .default(5)
      .meta({
        title: "Turns in memory",
        description: "The number of newest turns that window and summary keep whole.",
        langgraph_nodes: ["rephrase-question"],
      }),
  });
}

/** The settings of an assistant with tools. */
function settings(defaultTools: z.infer<typeof toolNames>[]) {
  return speakerSettings("plan").extend({
    tools: z
      .array(toolNames)
      .default(defaultTools)
      .meta({ title: "Tools", description: "What the agent can use.", langgraph_nodes: ["plan", "act"] }),
    approve: z
      .enum(["never", "always"])
      .default("never")
      .meta({
        title: "Approval",
        description: "The calls that a person decides on before their tool runs.",
        langgraph_nodes: ["act"],
      }),
    maxSteps: z
      .int()
      .min(1)
      .max(100)
      .default(15)
      .meta({
        title: "Step limit",
        description: "The most steps of a turn. A step calls tools, or cannot be read.",
        langgraph_nodes: ["parse"],
      }),
  });
}

interface Spoken {
  readonly context: z.infer<ReturnType<typeof speakerSettings>>;
}

/** Returns the options that all graphs have in common. They follow the settings of the assistant that runs. */
export function speaker(...writers: string[]) {
  return {
    context: speakerSettings(...writers),
    model: ({ context }: Spoken) => context.model,
    instructions: ({ context }: Spoken) => context.instructions,
    memory: ({ context }: Spoken) => memories[context.memory]({ turns: context.memoryTurns }),
  };
}

/** Returns the options of a graph with tools. */
export function assistant({ tools: names = toolNames.options.slice(0, 2) } = {}) {
  return {
    ...speaker("plan"),
    context: settings(names),
    tools: ({ context }) => context.tools.map((name) => tools[name]),
    approve: ({ context }) => context.approve === "always",
    limits: { maxSteps: ({ context }) => context.maxSteps },
  } satisfies AgentOptions<z.ZodUnknown, ReturnType<typeof settings>>;
}
