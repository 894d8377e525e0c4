import { createHash } from "node:crypto";
import { z } from "zod";
import type { Threads } from "../../src/threads/open.js";

/** The lines of an exported thread, with their line breaks. */
export async function exportedLines(threads: Threads, thread = "t"): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of threads.export(thread)) lines.push(line);
  return lines;
}

/** The kind of a line. */
export function kindOf(line: string): string {
  return z.object({ type: z.string() }).parse(JSON.parse(line)).type;
}

/** The lines with a last one that fits them, as somebody writes it who knows the format. */
export function sealed(lines: readonly string[]): string[] {
  const content = lines.slice(0, -1);
  const sha256 = createHash("sha256").update(content.join("")).digest("hex");
  return [...content, `${JSON.stringify({ type: "end", lines: content.length, sha256 })}\n`];
}
