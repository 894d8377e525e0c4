import type { PersonAsked } from "../../core/run/events.js";

/** The answer to a question of an agent or of its tool. */
export interface PersonsAnswer {
  readonly value: unknown;
}

/** Something that answers the questions of a turn: a person at the terminal, or the words of a command. */
export interface Answerer {
  /** Answers a question that was shown. Returns undefined to leave the thread waiting. */
  answer(asked: PersonAsked): Promise<PersonsAnswer | undefined>;
  /** Ends an answer that is not given yet. */
  leave(): void;
}

/** Returns an answerer with one answer. It leaves the turn waiting at the next question. */
export function answerOnce(value: unknown): Answerer {
  const answers: PersonsAnswer[] = [{ value }];
  return { answer: async () => answers.pop(), leave() {} };
}
