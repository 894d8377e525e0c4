import { describe, expect, it } from "vitest";
import { checkCitations } from "../../../src/middleware/citations/check-citations.js";
import { growth } from "../../helpers/processor-time.js";

const sources = [
  {
    title: "Cats",
    address: "cats.md",
    heading: "Animals > Cats and their long sleep",
    passage:
      "Cats sleep for most of the day, and hunt at night. They are **small** carnivorous [mammals](https://a.example/b).",
  },
  {
    title: "The tower",
    address: "tower.md",
    passage: "The tower is 330 metres high – it was built in\n1889.[37] Its architect didn't like it.",
  },
  { title: "塔", address: "塔.md", passage: "東京タワーは高さ三百三十三メートルの電波塔である。" },
  { title: "A page", address: "https://a.example/page", passage: "The page begins in this way and goes on…" },
  { title: "A picture", address: "picture.png" },
  { title: "News", address: "https://b.example", passage: "The first words of the news." },
  {
    title: "News",
    address: "https://b.example",
    passage: "Other words of the same news. Jeder Koch hat Anspruch auf 28 Tage Urlaub.",
  },
];
const question = "How long do my old cats sleep at night?";
const check = (answer: string) => checkCitations(answer, sources, question);

/** The numbers of citations with a source, and of those without one, each once. */
function numbersIn(answer: string) {
  const citations = check(answer);
  const numbers = (isKnown: boolean) => [
    ...new Set(citations.flatMap(({ number, source }) => ((source !== null) === isKnown ? number : []))),
  ];
  return { cited: numbers(true), unknown: numbers(false) };
}

/** The quotes that do not stand in the sources beside them, with the numbers of these and of the one that has them. */
function wrongQuotes(answer: string) {
  const wrong = new Map<number, { quote: string; beside: number[]; foundIn: number | null }>();
  for (const { number, source, quotes } of check(answer)) {
    for (const { start, end, isFound, foundIn } of quotes) {
      if (isFound) continue;
      const quote = { quote: answer.slice(start, end), beside: [], foundIn: foundIn === null ? null : foundIn + 1 };
      const one = wrong.get(start) ?? wrong.set(start, quote).get(start);
      if (source !== null) one?.beside.push(number);
    }
  }
  return [...wrong.values()];
}

describe("a citation", () => {
  it.each([
    ["Cats sleep [1].", [1]],
    ["Cats sleep [1, 3].", [1, 3]],
    ["Cats sleep [ 2 ; 1 ].", [2, 1]],
    ["Cats sleep [1][2] [3].", [1, 2, 3]],
    ["Cats sleep [2-4], and [2–3].", [2, 3, 4]],
    ["猫は寝る[3]。", [3]],
    ["猫は寝る【3】。犬【1】【2】", [3, 1, 2]],
    ["Cats sleep 【1†source】【3†L7-L9】", [1, 3]],
    ["Cats sleep［１］.", [1]],
    ["Cats sleep.[^1][^3]\n\n[^1]: cats.md\n[^3]: tower.md", [1, 3]],
    ["Cats sleep[^2^].", [2]],
    ["Cats sleep [Source 1] and [sources: 2, 3], [Document 4].", [1, 2, 3, 4]],
    ["Cats sleep [Source 1, Source 3].", [1, 3]],
    ["Cats sleep[cite: 1, 2] (Source 3).", [1, 2, 3]],
    ["Cats sleep [1 and 2], [1, 2, and 4], [3 & 5], [6/7], [#1].", [1, 2, 4, 3, 5, 6, 7]],
    ["Cats sleep [1, p. 3].", [1]],
    ["Katzen schlafen [1, S. 3] und jagen [2, Seite 3].", [1, 2]],
    ["Cats sleep [1 | 01-de.md], [2 | 2024 report.pdf], [3 | Smith, Jones 2020.pdf].", [1, 2, 3]],
    ["Cats sleep [1 | a.pdf, 2], [Source 3 | Cats, dogs, 4 | b.pdf].", [1, 2, 3, 4]],
    ["Cats sleep [Passage 1, Passage 2].", [1, 2]],
    ["Los gatos duermen [Fuente 1, Fuente 2]. Gatos [Documento 3]. Коты (источник 4)。猫[文档5]", [1, 2, 3, 4, 5]],
    ["如[1]所述，[2]和[3]说猫睡。犬[4]と[5]も（来源6）。개 [출처 7]", [1, 2, 3, 4, 5, 6, 7]],
    ["Cats sleep [Source 1 | cats-2020.pdf (Page 5), Source 4 | b.pdf], [2 | tower.md].", [1, 4, 2]],
    ["It is the better option [1]. Use the second type[2] in the next step [3].", [1, 2, 3]],
    ["Cats sleep \\[1\\] and [[2]].", [1, 2]],
    ["Katzen[1] schlafen 12[2] Stunden (lang)[3] oder „mehr“[4], **viel**[5] `mehr`[6].", [1, 2, 3, 4, 5, 6]],
    ["As [2] and [3, 1] show, cats sleep. The sources are [5, 6].", [2, 3, 1, 5, 6]],
    ["- cats\n\n    and their long sleep [1]\n", [1]],
    ["Sleep of animals [3, 1, 2, 7, 5].", [3, 1, 2, 7, 5]],
    ["The values [1, 2].", [1, 2]],
  ])("with a source is reported: %s", (answer, cited) => {
    expect(numbersIn(answer)).toEqual({ cited, unknown: [] });
  });

  it("is reported with its place in the answer and in the sources", () => {
    const answer = "Cats sleep [1, 9], and towers do not [2].";
    expect(check(answer)).toEqual([
      { number: 1, start: 11, end: 17, source: 0, quotes: [] },
      { number: 9, start: 11, end: 17, source: null, quotes: [] },
      { number: 2, start: 37, end: 40, source: 1, quotes: [] },
    ]);
    expect(answer.slice(37, 40)).toBe("[2]");
  });

  it.each([
    ["Cats sleep [8].", [], [8]],
    ["Cats sleep [1, 9] all day.", [1], [9]],
    ["Cats sleep [1][8].", [1], [8]],
    ["Cats sleep [6-8].", [6, 7], [8]],
    ["猫は寝る[12]。", [], [12]],
    ["- **Cats** [9]\n- Dogs [1]", [1], [9]],
    ["“Cats [9] are small” it says.", [], [9]],
    ["Cats sleep[8].", [], [8]],
    ["Cats【9】, dogs [^10], cows [Source 11].", [], [9, 10, 11]],
    ["According to [9], cats sleep [1].", [1], [9]],
  ])("without a source is reported: %s", (answer, cited, unknown) => {
    expect(numbersIn(answer)).toEqual({ cited, unknown });
  });

  it.each([
    "`list [9]` and ``a ` [9]``",
    "```ts\nconst x = y [9];\n```\nDone.",
    "~~~\n[9]\n```\n[9]\n~~~",
    'An unclosed block:\n```\n[9] "nothing of all this stands there" [1]',
    "[9](https://a.example) and [see 9] and [x]",
    "[9]: https://a.example\n[^9]: Cats and dogs",
    "[the page][9], [页面][9]",
    "<pre>x = [9]</pre> and <code>[9]</code>",
    "Run:\n\n    x [9]\n\n    y [8]\n\nDone.",
    "matrix[9][8] and f\\[9\\]",
    "It is in [0, 1], or in [1-300], and was so in [2021].",
    "【4:0†source】 and 【F:src/a.ts†L9-L10】 and (see 9) and (9)",
    "RGB [255, 128, 64]; ages [18-65] only; coordinates [52, 13], the shape [8, 64, 64].",
    "Choose the option [1], then press [2]. Option [3]: type [4].",
    "Press [9] to go on. As Smith et al. [12] show. The options are [10] and [11].",
    "The answer[9] is wrong.",
    "$x [9]$ and $$y\n[9]$$ and \\(z [9]\\) and \\[ [9] \\]",
    "“run `x [9]` now, all of you”",
  ])("is not read in code, links, formulas and other brackets: %s", (answer) => {
    expect(numbersIn(answer).unknown).toEqual([]);
  });

  it.each([
    "The list is [1, 2, 3, 4, 5].",
    "nums = [1, 2] and [3, 4]",
    "The sorted values: [1, 2, 3]",
    "It returns [2, 3] as its result",
    "The range [2-4] is allowed.",
    "The numbers [6, 7, 8].",
    "[1, 2] + [3, 4] = [1, 2, 3, 4]",
    "Use a[1], my_list[2], nums[3][1], f(x)[4] and A[4,5].",
    "Step [3]: press [1] or [2].",
    "[1].length",
    "[7, 7]",
    "The matrix is [1 | 2], and [1 | 25, 3].",
  ])("is told from data by the words beside it, even if there are such sources: %s", (answer) => {
    expect(check(answer)).toEqual([]);
  });

  it("is read beside a price and a single backtick", () => {
    expect(check("It costs $5 [9] or 6$ [9]. A ` is a sign [9].")).toHaveLength(3);
  });
});

describe("quoted words", () => {
  it.each([
    'Cats "sleep for most of the day" [1].',
    "It says: “CATS SLEEP\n for most of the day and hunt at night.” [1]",
    "“They are small carnivorous mammals” [1]",
    "“They are *small* _carnivorous_ mammals.” [1]",
    "“Cats sleep … hunt at night” [1] and «Cats sleep [...] small carnivorous mammals» [1]",
    "„The tower is 330 metres high — it was built in 1889.“ [2]",
    "Its ‘architect didn’t like it’ [2], and 'its architect didn't like it' [2].",
    "“it was built in 1889. Its architect” [2]",
    "As [2] says, “it was built in 1889”, and cats sleep [1].",
    "“it was built in 1889” and “they are small carnivorous mammals” [1][2]",
    "“it was built in 1889” (see [1] and [2])",
    "“it was built in 1889 [2]”.",
    "It was “built in 1890” [2].",
    "The article “Animals > Cats and their long sleep” [1].",
    "「高さ三百三十三メートルの電波塔」[3]。",
    "「高さ三百三十三メートルの電波塔」[1]、[3]。「高さ三百三十三メートルの電波塔」[1]と[3]。",
    "“This is written on the picture.” [5]",
    "“This stands at the end of the page.” [4]",
    "“Nobody said so to anybody.” That is not in the sources. Cats sleep [1].",
    "The dogs' bowls are full in '90s houses, and the cats' bowls too [1].",
    'A 5" pipe and a 6" pipe are here for sale now [1].',
    'Somebody said "that nothing of it [1].\n\nAnd so it is" [1].',
    "| “it was built in 1889” | [2] |\n| “They are small carnivorous mammals” | [1] |",
    "- “it was built in 1889” [2]\n- “They are small carnivorous mammals” [1]",
    "“… it was built in 1889 …” [2]",
    "“Other words of the same news” [6].",
    "It says “[The] tower is 330 metres high” [2], and “[c]ats sleep for most of the day [sic]” [1].",
    "You asked “how long do my old cats sleep” and they do all day [1].",
    "The article “All About Our Old Cats” [1].",
    "Ask your cat: “Do you sleep for most of the day or night?” [1].",
    "Es heißt: „Katzen schlafen die meiste Zeit des Tages“ [1].",
    "Der Artikel „Neue Regeln für den Urlaub“ [7].",
    "« les chats dorment la nuit » [1], »Katzen schlafen in der Nacht« [1]",
    "“quelque chose … d’autre en français” [2]",
    "> Cats sleep for most of the day,\n> and hunt at night.\n\n[1]",
    "> **Note:** it is all about another matter of theirs [1].",
    "*Cats sleep for most of the day* [1], and *nothing of it is said there* [1].",
    "He said “it was built in 1889” and “Its architect didn’t like it” [2].",
    "``` \n“nobody ever said so here” [1]\n```",
  ])("that are in the source are right, and words that cannot be compared are not reported: %s", (answer) => {
    expect(wrongQuotes(answer)).toEqual([]);
  });

  it.each([
    ["Cats “sleep for most of the year” [1].", "“sleep for most of the year”", [1]],
    ["“The tower is 333 metres high” [1][2]", "“The tower is 333 metres high”", [1, 2]],
    ["“it was built in 1889” [1], they say.", "“it was built in 1889”", [1], 2],
    ["“it was built in 1889” [9].", "“it was built in 1889”", [], 2],
    ["“nothing of it is true” [9].", "“nothing of it is true”", []],
    ["“nothing of it is true.” [1]", "“nothing of it is true.”", [1]],
    ["“nothing of it is true [1].” Done.", "“nothing of it is true [1].”", [1]],
    ["“nothing of it is true.” [1]. It is so.", "“nothing of it is true.”", [1]],
    ["As [1] says, “it was built in 1889”.", "“it was built in 1889”", [1], 2],
    ["“Cats sleep small carnivorous mammals” [1]", "“Cats sleep small carnivorous mammals”", [1]],
    ["“hunt at night … Cats sleep” [1]", "“hunt at night … Cats sleep”", [1]],
    ["“Cats sleep … built in 1889” [1][2]", "“Cats sleep … built in 1889”", [1, 2]],
    ["Dr. A. Smith said “we all sleep at night” [1].", "“we all sleep at night”", [1]],
    ["“They are small carnivorous mammals” [1] and “it was built in 1890” [2]", "“it was built in 1890”", [2]],
    ["「高さ三百三十五メートルの電波塔」[3]。", "「高さ三百三十五メートルの電波塔」", [3]],
    ["« they sleep in the night » [1].", "« they sleep in the night »", [1]],
    ["»they sleep in the night« [1].", "»they sleep in the night«", [1]],
    ["„they sleep in the night“ [1].", "„they sleep in the night“", [1]],
    ["‚they sleep in the night‘ [1].", "‚they sleep in the night‘", [1]],
    ["„Jeder Koch hat Anspruch auf 30 Tage Urlaub“ [7].", "„Jeder Koch hat Anspruch auf 30 Tage Urlaub“", [7]],
    ["> Cats sleep for most of the year.\n>\n> — [1]", "> Cats sleep for most of the year.\n>\n> — [1]", [1]],
    ["> Cats sleep for most of the year.\n\n— [1]", "> Cats sleep for most of the year.", [1]],
    ["It says *cats sleep for most of the year* [1].", "*cats sleep for most of the year*", [1]],
    ["“Cats hunt at the tower”【1】", "“Cats hunt at the tower”", [1]],
    ["'they sleep in the night' [1].", "'they sleep in the night'", [1]],
    ['**"they sleep in the night"** [1].', '"they sleep in the night"', [1]],
    ["“nothing of it is true” [1] but so it is [2][3].", "“nothing of it is true”", [1]],
    ["“it was built in 1889” [1], [3]", "“it was built in 1889”", [1, 3], 2],
  ])("that are not in the source are reported: %s", (answer, quote, beside, foundIn?: number) => {
    expect(wrongQuotes(answer)).toEqual([{ quote, beside, foundIn: foundIn ?? null }]);
  });

  it("are reported one by one", () => {
    expect(wrongQuotes("“5 % of all cats” [1] “5 € of all cats” [1]").map(({ quote }) => quote)).toEqual([
      "“5 % of all cats”",
      "“5 € of all cats”",
    ]);
  });

  it("are reported at each citation beside them, with their place and the source that contains them", () => {
    const right = { start: 0, end: 22, isFound: true, foundIn: 1 };
    expect(check("“it was built in 1889” [1][2]")).toEqual([
      { number: 1, start: 23, end: 26, source: 0, quotes: [right] },
      { number: 2, start: 26, end: 29, source: 1, quotes: [right] },
    ]);
  });

  it("are not reported without a citation beside them", () => {
    expect(check("“Nobody ever said anything of it.” It is so [1].")).toMatchObject([{ number: 1, quotes: [] }]);
  });
});

describe("a long answer", () => {
  const shapes: Record<string, string> = {
    brackets: "[",
    citations: "[1]",
    ranges: "[1-9]",
    "all quotation marks": "“”„«»‹›‘’「」『』\"' ",
    "wrong quotes": ' "a b c d e" [1]',
    "quotes in one sentence": ' "a b c d e"',
    "runs of backticks": "` `` ``` ```` ````` `a``",
    dollars: " $a",
    "lines of dollars": "$$a\n",
    formulas: "\\(a\\[b",
    fences: "```\n~~~\n",
    italics: " *a b c d*",
    "indented lines": "a\n\n    b\n",
    tags: "<pre>",
    links: "[a b",
    "other brackets": "【1†",
    lists: " is [1, 2]",
    "names of sources": "[1|a-1-1-1-1-1",
    "names with commas": "[1|ab, c",
    "names with numbers": "1|ab, 2, [3|5 ",
  };
  it.each(Object.entries(shapes))("of %s is checked in linear time", async (_, shape) => {
    expect(await growth((length) => check(shape.repeat(length / shape.length)), 4_000)).toBeLessThan(1.5);
  });
});
