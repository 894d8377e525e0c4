import type { Threads } from "../../src/threads/open.js";

/** The lines of an exported thread, with their line breaks. */
export async function exportedLines(threads: Threads, thread = "t"): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of threads.export(thread)) lines.push(line);
  return lines;
}
