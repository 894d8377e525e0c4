import { describe, expect, it } from "vitest";
import { checkCitations } from "../../src/citations/check-citations.js";
import { pick, randomFrom } from "../helpers/random.js";

/** Passages of three sentences, written for this test. */
const passages = [
  "The bakery in Harbour Street opens at six in the morning. Its oldest oven was built in 1911 by two brothers from Porto. On Sundays it sells only rye bread and small apple cakes.",
  "A tide mill grinds corn with the water that the sea leaves behind. The gate shuts by itself when the tide turns. Such a mill works for about ten hours on each day.",
  "The night train to the north leaves from platform four at 22:35. Passengers with bicycles board the last of its nine carriages. Breakfast is served after the long bridge over the fjord.",
  "Bees of this valley fly up to five kilometres for the flowers of the lime tree. A strong hive holds 60,000 of them in June. In winter they live on about twelve kilograms of honey.",
  "Das Museum zeigt die älteste Pendeluhr der Stadt. Sie geht in einer Woche nur vier Sekunden falsch. Ein Uhrmacher aus Lübeck hat sie im Jahr 1702 gebaut.",
  "Le phare de l'île guide les pêcheurs depuis plus de deux siècles. Sa lampe se voit à quarante kilomètres par temps clair. Trois gardiens y vivaient jusqu'en 1986.",
  "La biblioteca guarda doce mil cartas escritas por marineros. La más antigua llegó en un barco portugués. Cada verano los alumnos copian cien de ellas a mano.",
  "Старый мост через реку построили из дуба и камня. Он выдержал три больших наводнения за сто лет. Весной под ним проходят лодки с солью.",
];
const quotationMarks = ["“”", '""', "„“", "«»", "‘’", "»«", "「」"];
const frames = [
  (quote: string, cited: string) => `The text says ${quote} ${cited}.`,
  (quote: string, cited: string) => `${quote} ${cited}`,
  (quote: string, cited: string) => `As source ${cited} has it, ${quote}.`,
  (quote: string, cited: string) =>
    `It is well known.\n\n- ${quote}, people write ${cited}, and they are right.\n- So it is.`,
  (quote: string, cited: string) => `**Note:** ${quote}.${cited} Nothing else is known about it.`,
];
const inventedWords = ["seldom", "thirteen", "beside", "Venice", "1847", "purple"];

const sources = passages.map((passage, n) => ({ title: `Page ${n + 1}`, address: `${n + 1}.md`, passage }));

/** Makes answers with one quote each, the same for the same seed. */
class Answers {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  right(): string {
    const source = this.#source();
    const words = this.#run(source);
    const changed = pick(
      [
        words,
        words.map((word) => word.toUpperCase()),
        words.map((word, n) => (n === 1 ? `**${word}**` : word)),
        [...words.slice(0, 2), "…", ...words.slice(4), "and".slice(3)],
        words.map((word, n) => (n === 2 ? `\n${word}` : word)),
      ],
      this.#random,
    );
    return this.#answer(changed, source);
  }

  invented(): string {
    const source = this.#source();
    const words = this.#run(source);
    words[1 + this.#below(words.length - 2)] = pick(inventedWords, this.#random);
    return this.#answer(words, source);
  }

  moved(): string {
    const source = this.#source();
    return this.#answer(this.#run(source), (source + 1 + this.#below(passages.length - 1)) % passages.length);
  }

  stitched(): string {
    const source = this.#source();
    const [first = [], second = [], third = []] = this.#sentences(source);
    const [one, other] = pick(
      [
        [first, third],
        [second, first],
        [third, second],
      ],
      this.#random,
    );
    return this.#answer([...(one ?? []).slice(0, 4), ...(other ?? []).slice(2)], source);
  }

  withoutSource(): string {
    return this.#answer(this.#run(this.#source()), passages.length + this.#below(20));
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  #source(): number {
    return this.#below(passages.length);
  }

  #sentences(source: number): string[][] {
    return (passages[source] ?? "").split(/(?<=\.) /).map((sentence) => sentence.split(" "));
  }

  /** Six words or more that stand side by side. */
  #run(source: number): string[] {
    const words = pick(this.#sentences(source), this.#random);
    const start = this.#below(words.length - 5);
    return words.slice(start, start + 6 + this.#below(4));
  }

  #answer(words: readonly string[], source: number): string {
    const [open, close] = pick(quotationMarks, this.#random);
    return pick(frames, this.#random)(`${open}${words.join(" ").trim()}${close}`, `[${source + 1}]`);
  }
}

/** The quotes of an answer, and whether each citation in it has a source. */
function reportOf(answer: string) {
  const citations = checkCitations(answer, sources);
  const quotes = citations.flatMap((citation) => citation.quotes);
  const isRight = citations.every(({ source }) => source !== null) && quotes.every(({ isFound }) => isFound);
  return { answer, quotes, isRight };
}

describe("100 seeded answers", () => {
  it("with right quotes are all right", () => {
    const answers = new Answers(1);
    for (let n = 0; n < 100; n += 1) {
      const answer = answers.right();
      expect(reportOf(answer)).toMatchObject({ answer, isRight: true, quotes: [{ isFound: true }] });
    }
  });

  it("with invented, moved and stitched quotes and wrong numbers are all found", () => {
    const answers = new Answers(2);
    const wrong = Array.from({ length: 25 }, () => [
      answers.invented(),
      answers.moved(),
      answers.stitched(),
      answers.withoutSource(),
    ]).flat();
    const found = wrong.filter((answer) => !reportOf(answer).isRight);
    expect(found).toEqual(wrong);
  });

  it("with moved quotes are reported with the source that has the words", () => {
    const answers = new Answers(3);
    for (let n = 0; n < 100; n += 1) {
      const answer = answers.moved();
      expect(reportOf(answer)).toMatchObject({ answer, quotes: [{ isFound: false, foundIn: expect.any(Number) }] });
    }
  });
});
