import { fileURLToPath } from "node:url";
import { z } from "zod";
import { type AgentOptions, askHuman, buffer, calculator, documentSearch, summary, window } from "../src/index.js";

const tools = {
  calculator: calculator(),
  documents: documentSearch({ folder: fileURLToPath(new URL("../knowledge", import.meta.url)) }),
  ask_human: askHuman(),
};
const toolNames = z.enum(["calculator", "documents", "ask_human"]);

const memories = { buffer, window, summary };

/** The settings of an assistant: a form in Studio, and `context` in a program. */
function settings(defaultTools: z.infer<typeof toolNames>[]) {
  return z.object({
    model: z
      .string()
      .default(process.env.GLASSLOOP_MODEL ?? "offline")
      .meta({ title: "Model", description: '"openai:NAME", "provider:NAME", or "offline": rules, no language model.' }),
    instructions: z
      .string()
      .default("")
      .meta({ title: "Instructions", description: "Who the agent is, and how it answers." }),
    tools: z.array(toolNames).default(defaultTools).meta({ title: "Tools", description: "What the agent can use." }),
    approve: z
      .enum(["never", "always"])
      .default("never")
      .meta({ title: "Approval", description: "The calls that a person decides on before their tool runs." }),
    maxSteps: z
      .int()
      .min(1)
      .max(100)
      .default(15)
      .meta({ title: "Step limit", description: "The most steps of a turn. A step calls tools, or cannot be read." }),
    memory: z
      .enum(["buffer", "window", "summary"])
      .default("buffer")
      .meta({ title: "Memory", description: "The earlier turns in prompts: all, the newest, or these and a summary." }),
    memoryTurns: z.int().min(1).default(5).meta({
      title: "Turns in memory",
      description: "The number of newest turns that window and summary keep whole.",
    }),
  });
}

type Settings = ReturnType<typeof settings>;

/** Returns the options that the graphs have in common. They follow the settings of the assistant that runs. */
export function assistant({ tools: names = toolNames.options.slice(0, 2) } = {}) {
  return {
    context: settings(names),
    model: ({ context }) => context.model,
    instructions: ({ context }) => context.instructions,
    tools: ({ context }) => context.tools.map((name) => tools[name]),
    approve: ({ context }) => context.approve === "always",
    maxSteps: ({ context }) => context.maxSteps,
    memory: ({ context }) => memories[context.memory]({ turns: context.memoryTurns }),
  } satisfies AgentOptions<z.ZodUnknown, Settings>;
}
