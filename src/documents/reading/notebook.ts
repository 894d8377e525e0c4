import { z } from "zod";
import { parsedJson } from "../../base/attempted.js";
import { decodeText } from "./encoded-text.js";
import type { ParsedDocument } from "./parsed-document.js";

const source = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(""))]);
const notebookSchema = z.object({ cells: z.array(z.object({ cell_type: z.string(), source })) });

/** Reads notebooks of Jupyter: their texts, and their code. What the code printed is left out. */
export function readNotebook(bytes: Uint8Array): ParsedDocument[] {
  const parsed = notebookSchema.safeParse(parsedJson(decodeText(bytes) ?? ""));
  if (!parsed.success) return [{ kind: "skipped", why: "it is no notebook of Jupyter" }];
  const cells = parsed.data.cells.filter(({ source }) => source.trim() !== "");
  const texts = cells.map(({ cell_type, source }) => (cell_type === "code" ? `\`\`\`\`\n${source}\n\`\`\`\`` : source));
  return [{ kind: "markdown", text: texts.join("\n\n") }];
}
