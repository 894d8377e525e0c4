import type { ContentBlock } from "@langchain/core/messages";
import { z } from "zod";

const record = z.record(z.string(), z.unknown());

/** The schema of what an MCP server returns for a call. A block of an unknown form is kept as it is. */
export const callResultSchema = z.object({
  content: z.array(record).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
  _meta: record.optional(),
});

export type CallResult = z.infer<typeof callResultSchema>;

/** The artifact of the tool message of an MCP tool: what its content has no place for. */
export interface McpArtifact {
  /** The result as data, in the form of the tool's output schema. An integer that a number cannot hold is the text of its digits. */
  readonly structuredContent?: unknown;
  /** The resources whose text or data the content holds. */
  readonly resources?: readonly { readonly uri: string; readonly mimeType?: string | undefined }[];
  /** The server's remarks on the result, for programs. */
  readonly _meta?: Record<string, unknown>;
}

const resource = z.object({ uri: z.string(), mimeType: z.string().optional() });

const blockSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.enum(["image", "audio"]), data: z.string(), mimeType: z.string() }),
  z.object({
    type: z.literal("resource"),
    resource: z.union([resource.extend({ text: z.string() }), resource.extend({ blob: z.string() })]),
  }),
  resource.extend({ type: z.literal("resource_link"), name: z.string(), description: z.string().optional() }),
]);

/**
 * Turns the result of an MCP tool into the content of a LangChain tool message. One text stays a text. All else becomes
 * standard content blocks:
 *
 * - `image` and `audio` stay what they are.
 * - A resource becomes `text`, `image`, `audio`, `video` or `file`, by what it holds. Its address is in the artifact.
 * - A link to a resource becomes `file` with its address as `url`.
 * - A block of an unknown form becomes `non_standard`.
 *
 * @param name The tool's name, for the sentence about a result that has nothing in it.
 * @returns The content. A result without a text gets the structured content as JSON. An empty one gets a sentence.
 */
export function toContent(name: string, { content, structuredContent, isError }: CallResult): string | ContentBlock[] {
  const blocks = content.map(toBlock).filter((block) => block.type !== "text" || isText(block));
  if (structuredContent !== undefined && !blocks.some(isText)) {
    blocks.unshift({ type: "text", text: writeData(structuredContent, blocks) });
  }
  const [first] = blocks;
  if (first === undefined)
    return isError ? `${name} failed and did not say why.` : `${name} ended well and returned nothing.`;
  return blocks.length === 1 && isText(first) ? first.text : blocks;
}

/** Writes structured content as JSON. What stands in a block of its own, such as a picture, is not written again. */
function writeData(structuredContent: unknown, blocks: readonly ContentBlock[]): string {
  return JSON.stringify(structuredContent, (_key, value: unknown) => {
    const base64 = typeof value === "string" && value.slice(value.lastIndexOf(",") + 1);
    const block = base64 && blocks.find(({ data }) => data === base64);
    return block ? `[the ${block.type} of this result]` : value;
  });
}

/** Returns the parts of a result that are for programs; undefined if it has none. */
export function toArtifact({ content, structuredContent, _meta }: CallResult): McpArtifact | undefined {
  const resources = content.flatMap((raw) => {
    const block = blockSchema.safeParse(raw).data;
    return block?.type === "resource" ? [resource.parse(block.resource)] : [];
  });
  const artifact = {
    ...(structuredContent !== undefined && { structuredContent }),
    ...(resources.length > 0 && { resources }),
    ...(_meta && { _meta }),
  };
  return Object.keys(artifact).length === 0 ? undefined : artifact;
}

function isText(block: ContentBlock): block is ContentBlock.Text {
  return block.type === "text" && typeof block.text === "string" && block.text.trim() !== "";
}

function toBlock(raw: Record<string, unknown>): ContentBlock {
  const block = blockSchema.safeParse(raw).data;
  if (block?.type === "resource_link") {
    const { uri, name, mimeType, description } = block;
    return { type: "file", url: uri, ...(mimeType && { mimeType }), metadata: { name, description } };
  }
  if (block?.type !== "resource") return block ?? { type: "non_standard", value: raw };
  if ("text" in block.resource) return { type: "text", text: block.resource.text };
  const { uri, blob, mimeType = "application/octet-stream" } = block.resource;
  const type = /^(image|audio|video)\//.exec(mimeType)?.[1] ?? "file";
  return { type, data: blob, mimeType, metadata: { uri } };
}
