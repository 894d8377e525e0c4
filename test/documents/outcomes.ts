import { expect } from "vitest";
import { DocumentSearchError } from "../../src/base/errors.js";

/** Returns the addresses of what a search found. */
export function addresses(found: readonly { readonly metadata: { readonly address: string } }[]): string[] {
  return found.map(({ metadata }) => metadata.address);
}

/** Returns the words with which a search is refused. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DocumentSearchError);
  return error instanceof Error ? error.message : "";
}
