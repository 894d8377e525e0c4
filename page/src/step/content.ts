/** A part of the content of a message or a result, with its place in it. */
export type ContentPart =
  | { readonly kind: "text"; readonly text: string; readonly path: readonly (string | number)[] }
  | { readonly kind: "block"; readonly block: Fields; readonly path: readonly (string | number)[] };
type Fields = Readonly<Record<string, unknown>>;

/** Reads the content of a message: a text, or a list of blocks. */
export function partsOfContent(content: unknown): ContentPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content, path: [] }];
  if (!Array.isArray(content)) return [];
  return content.map((block: unknown, n): ContentPart => {
    if (typeof block === "string") return { kind: "text", text: block, path: [n] };
    const fields = fieldsOf(block);
    const { type, text } = fields;
    if (type === "text" && typeof text === "string") return { kind: "text", text, path: [n, "text"] };
    return { kind: "block", block: fields, path: [n] };
  });
}

/** A block with a picture, in any of the forms of providers. `address` is left out for a picture that is elsewhere. */
export function pictureIn(block: unknown): { readonly words: string; readonly address?: string } | undefined {
  const fields = { ...fieldsOf(block), ...fieldsOf(fieldsOf(block).source), ...fieldsOf(fieldsOf(block).image_url) };
  const { data, url, image_url: link } = fields;
  const type = [fields.mime_type, fields.mimeType, fields.media_type].find((given) => typeof given === "string");
  const address = [url, link].find((given) => typeof given === "string");
  if (address?.startsWith("data:image/")) return { words: "a picture", address };
  if (type?.startsWith("image/") && typeof data === "string") {
    return { words: "a picture", address: data.startsWith("data:") ? data : `data:${type};base64,${data}` };
  }
  return address !== undefined && /image/.test(String(fieldsOf(block).type))
    ? { words: `a picture at ${address}` }
    : undefined;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
