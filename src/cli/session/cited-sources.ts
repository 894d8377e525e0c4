import { checkCitations } from "../../citations/check-citations.js";
import type { CitedSource } from "../screen/turn-view.js";
import type { Session } from "./session.js";

/** Returns the sources that the last answer of a session cites, in the order in which it does. */
export async function citedSources({ agent, thread }: Pick<Session, "agent" | "thread">): Promise<CitedSource[]> {
  const { values } = await agent.getState({ configurable: { thread_id: thread } });
  const { answer, sources } = values;
  if (!answer || sources.length === 0) return [];
  return checkCitations(answer, sources).cited.flatMap((number) => {
    const source = sources[number - 1];
    return source === undefined ? [] : [{ number, ...source }];
  });
}
