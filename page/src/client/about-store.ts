import type { About } from "../wire.js";
import { Observable } from "./observable.js";
import type { Requests } from "./requests.js";
import { ServerError, sentenceFor } from "./server-error.js";

/** What the server says of itself: undefined until it did. */
export interface AboutState {
  readonly about?: About;
  readonly problem?: string;
  /** True if the server asks for a key, and this tab has none or a wrong one. */
  readonly asksKey?: boolean;
}

/** Asks the server for what it has, with all of its agents. */
export class AboutStore extends Observable<AboutState> {
  #asking: Promise<void> | undefined;

  constructor(private readonly requests: Requests) {
    super({});
  }

  /** Asks, unless that was done. */
  ask(): void {
    if (this.get().about === undefined) this.#asking ??= this.again();
  }

  /** Asks once more, such as with another key. */
  async again(): Promise<void> {
    try {
      this.set({ about: await readAbout(this.requests) });
    } catch (error) {
      const asksKey = error instanceof ServerError && error.status === 401;
      this.set({ ...this.get(), problem: sentenceFor(error), asksKey });
    }
    this.#asking = undefined;
  }
}

async function readAbout(requests: Requests): Promise<About> {
  const about = await requests.get<About>("glassloop/about");
  const agents = [...about.agents];
  for (let { next } = about; next !== null; ) {
    const page = await requests.get<About>(`glassloop/about?from=${next}`);
    agents.push(...page.agents);
    next = page.next;
  }
  return { ...about, agents, next: null };
}
