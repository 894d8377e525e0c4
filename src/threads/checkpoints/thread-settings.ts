import type { RunnableConfig } from "@langchain/core/runnables";
import { z } from "zod";
import { InvalidOptionError } from "../../base/errors.js";

/** The settings of a program for a thread, such as its model. */
export interface ThreadSettings {
  /** The settings by name. */
  readonly values: Readonly<Record<string, string>>;
  /** True if they came with an imported thread, and no run has set them since. Ask a person before you use them. */
  readonly imported: boolean;
}

const valuesSchema = z.record(z.string(), z.string());
const settingsSchema = z.object({ values: valuesSchema, imported: z.boolean() });

/**
 * Reads the settings that a run keeps with its thread; undefined leaves those of before.
 *
 * @throws InvalidOptionError if they are not texts.
 */
export function settingsOfRun({ configurable }: RunnableConfig): ThreadSettings | undefined {
  const given: unknown = configurable?.thread_settings;
  if (given === undefined) return undefined;
  const { data: values } = valuesSchema.safeParse(given);
  if (values !== undefined) return { values, imported: false };
  throw new InvalidOptionError("thread_settings", 'give an object of texts, such as { model: "offline" }.');
}

/** Writes settings for the row of a thread. */
export function settingsCell(settings: ThreadSettings | undefined): string | null {
  return settings === undefined ? null : JSON.stringify(settings);
}

/** Reads what {@link settingsCell} wrote. */
export function settingsIn(cell: string): ThreadSettings {
  return settingsSchema.parse(JSON.parse(cell));
}
