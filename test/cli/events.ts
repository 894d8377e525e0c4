import { z } from "zod";
import { approvalDecisionSchema, approvalRequestSchema } from "../../src/turn/approval.js";
import { stopReasonSchema } from "../../src/turn/decision.js";

const counts = z.strictObject({
  modelCalls: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  toolCalls: z.int(),
});
const inThread = { thread: z.string().min(1) };
const toolInput = z.union([z.string(), z.record(z.string(), z.unknown())]);
const stopReason = stopReasonSchema;
const asked = {
  interrupt: z.string().min(1),
  requests: z.array(approvalRequestSchema.strict()),
  complaints: z.array(z.string()),
};

/** The lines of `--json`, as a program that reads them would check them. */
const eventSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("turn-start"), ...inThread, asked: z.string() }),
  z.strictObject({ type: z.literal("question"), ...inThread, asked: z.string(), question: z.string() }),
  z.strictObject({ type: z.literal("thought"), ...inThread, text: z.string() }),
  z.strictObject({ type: z.literal("action"), ...inThread, id: z.string(), tool: z.string(), toolInput }),
  z.strictObject({
    type: z.literal("observation"),
    ...inThread,
    id: z.string().optional(),
    text: z.string(),
    status: z.enum(["success", "error"]),
  }),
  z.strictObject({ type: z.literal("answer-delta"), ...inThread, text: z.string() }),
  z.strictObject({ type: z.literal("answer"), ...inThread, text: z.string(), stopReason }),
  z.strictObject({
    type: z.literal("error"),
    thread: inThread.thread.optional(),
    name: z.string(),
    message: z.string(),
  }),
  z.strictObject({ type: z.literal("approval"), ...inThread, ...asked }),
  z.strictObject({ type: z.literal("decision"), ...inThread, id: z.string(), decision: approvalDecisionSchema }),
  z.strictObject({
    type: z.literal("turn-end"),
    ...inThread,
    stopReason: z.union([stopReason, z.literal("waiting")]),
    waiting: z.array(z.strictObject({ type: z.literal("approval"), ...asked })).optional(),
    usage: z.strictObject({ turn: counts, thread: counts }),
  }),
]);

export type CliEvent = z.infer<typeof eventSchema>;

/** Reads the lines of `--json`, each of which must be one event and nothing else. */
export function parseEvents(stdout: string): CliEvent[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => eventSchema.parse(JSON.parse(line)));
}
