import { useEffect, useState } from "react";
import { requests } from "./server.js";

/** Answers of one kind that stay as they are. The newest are remembered, by their path. */
export class Remembered<Answer> {
  readonly #answers = new Map<string, Answer>();

  constructor(private readonly most = 30) {}

  get(path: string): Answer | undefined {
    return this.#answers.get(path);
  }

  async load(path: string, signal: AbortSignal): Promise<Answer> {
    const answer = await requests.get<Answer>(path, signal);
    this.#answers.delete(path);
    this.#answers.set(path, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > this.most && oldest !== undefined) this.#answers.delete(oldest);
    return answer;
  }
}

/** An answer, or why it did not come; neither while it is loaded. */
export interface Loaded<Answer> {
  readonly answer?: Answer | undefined;
  readonly problem?: string | undefined;
}

/**
 * Loads an answer, and never shows that of another path. What is not wanted any more is not waited for.
 *
 * @param path Undefined if nothing is to be loaded.
 * @param again What did not come is asked for again when this changes.
 */
export function useRemembered<Answer>(
  kind: Remembered<Answer>,
  path: string | undefined,
  again?: string,
): Loaded<Answer> {
  const [loaded, setLoaded] = useState<Loaded<Answer> & { readonly path?: string }>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: `again` asks for another try.
  useEffect(() => {
    if (path === undefined || kind.get(path) !== undefined) return undefined;
    const stop = new AbortController();
    kind.load(path, stop.signal).then(
      (answer) => setLoaded({ path, answer }),
      (error: unknown) => {
        if (!stop.signal.aborted) setLoaded({ path, problem: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => stop.abort();
  }, [kind, path, again]);
  if (path === undefined) return {};
  const answer = kind.get(path) ?? (loaded.path === path ? loaded.answer : undefined);
  return answer === undefined && loaded.path === path ? loaded : { answer };
}
