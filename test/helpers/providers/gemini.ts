import { z } from "zod";
import { type Provider, type ProviderRequest, refuse, sent } from "./provider-server.js";
import { refusedTool, rules } from "./refusals.js";

const partSchema = z.looseObject({
  text: z.string().optional(),
  functionCall: z.unknown().optional(),
  functionResponse: z.unknown().optional(),
  thoughtSignature: z.string().optional(),
});
type Part = z.infer<typeof partSchema>;

/** A reply of Gemini's API: the parts of its content. */
export interface GeminiReply {
  readonly parts: readonly Part[];
  /** What a search of Google's own found. */
  readonly grounding?: object;
}

const contentSchema = z.object({ role: z.string(), parts: z.array(partSchema) });
type Content = z.infer<typeof contentSchema>;

/** The contents of a request. Consecutive contents of one role are merged, as the API demands. */
export function geminiContents(body: ProviderRequest): Content[] {
  const contents: Content[] = [];
  for (const { role, parts } of z.array(contentSchema).parse(body.contents)) {
    if (parts.length === 0) refuse("Unable to submit request because it must include at least one parts field");
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts: [...parts] });
  }
  return contents;
}

const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 4, totalTokenCount: 19 };

/** Gemini's API: each step's first call in the turn that goes on must come back with its signature. */
export const gemini: Provider<GeminiReply> = {
  streamType: "text/event-stream",
  streams: (_body, url) => url.includes("stream"),
  check(body) {
    checkTools(body);
    const contents = geminiContents(body);
    const asked = contents.findLastIndex(
      ({ role, parts }) => role === "user" && parts.some(({ text }) => text !== undefined),
    );
    for (const [index, { parts }] of contents.entries()) {
      const calls = parts.filter((part) => part.functionCall !== undefined);
      const answers = contents[index + 1]?.parts.filter((part) => part.functionResponse !== undefined) ?? [];
      if (calls.length !== answers.length)
        refuse(
          "Please ensure that the number of function response parts is equal to the number of function call parts.",
        );
      if (calls.length > 0 && index > asked && !calls[0]?.thoughtSignature)
        refuse("Function call is missing a thought_signature in functionCall parts.");
    }
    if (contents.at(-1)?.role === "model") refuse("Please ensure that the conversation ends with a user turn.");
  },
  whole: ({ parts, grounding }) => envelope(parts, "STOP", grounding),
  *stream({ parts, grounding }) {
    for (const part of parts) yield sent(envelope([part]));
    yield sent(envelope([{ text: "" }], "STOP", grounding));
  },
  error: (message) => ({ error: { code: 400, status: "INVALID_ARGUMENT", message } }),
};

const toolsSchema = z.array(z.record(z.string(), z.unknown())).default([]);

const declarationsSchema = z.object({
  functionDeclarations: z
    .array(z.object({ name: z.string(), parameters: z.record(z.string(), z.unknown()).optional() }))
    .default([]),
});

function checkTools({ tools, toolConfig }: ProviderRequest): void {
  const kinds = toolsSchema.parse(tools).flatMap(Object.keys);
  const declared = z
    .array(declarationsSchema)
    .parse(tools ?? [])
    .flatMap(({ functionDeclarations }) => functionDeclarations);
  const wrong = refusedTool(rules.gemini, declared);
  if (wrong) refuse(`* GenerateContentRequest.tools[0].function_declarations: ${wrong}`);
  const declares = kinds.includes("functionDeclarations");
  if (declares && kinds.some((kind) => kind !== "functionDeclarations"))
    refuse(
      "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.",
    );
  if (!declares && toolConfig) refuse("Function calling config is set without function_declarations.");
}

function envelope(parts: readonly Part[], finishReason?: string, groundingMetadata?: object): object {
  const content = { role: "model", parts };
  return { candidates: [{ index: 0, content, finishReason, groundingMetadata }], usageMetadata };
}
