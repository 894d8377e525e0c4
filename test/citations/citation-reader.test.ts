import { describe, expect, it } from "vitest";
import { checkCitations } from "../../src/citations/check-citations.js";
import { CitationReader } from "../../src/citations/citation-reader.js";
import { processorTime } from "../helpers/processor-time.js";
import { pick, randomFrom } from "../helpers/random.js";

const sources = [
  { title: "Cats", address: "cats.md", passage: "Cats sleep for most of the day, and hunt at night." },
  { title: "Tower", address: "tower.md", passage: "The tower is 330 metres high. It was built in 1889." },
];

/** Everything that means something to the reader, and what stands around it. */
const parts = [
  ..."[]()[][1][2][9] [1, 9][1-3]\"\"''“”„“«»»«‘’「」`$\\|*_#.!?。：:,;-–\n\n   ",
  ...[
    "[1]",
    " [2]",
    "[9]",
    " [1, 9]",
    "[1-3]",
    "[1](u)",
    "\n[1]: x",
    "a[1]",
    "```\n",
    "~~~",
    "`[9]`",
    "$x[1]$",
    "\\[",
    "\\]",
  ],
  ...[
    "“Cats sleep for most of the day”",
    '"It was built in 1889."',
    "'hunt at night and sleep'",
    "„Nobody said a word of it“",
  ],
  ...[
    "“Cats sleep … hunt at night”",
    "「高さ三百三十五メートル」",
    "'tis",
    "'90s",
    "dogs' ",
    "it's",
    '5" ',
    "Dr. ",
    "and",
    "und",
  ],
  ...[
    "\n- ",
    "\n1. ",
    "\n## ",
    "\n\n",
    "| ",
    " The",
    " the",
    "word",
    "5 ",
    "塔",
    "🙂",
    "\u00a0",
    "               ",
    "      ",
  ],
];

function writtenAtRandom(random: () => number): string {
  return Array.from({ length: 1 + Math.floor(random() * 40) }, () => pick(parts, random)).join("");
}

function inPieces(text: string, random: () => number): string[] {
  const longest = 1 + Math.floor(random() * 12);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + Math.floor(random() * longest);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

describe("an answer that comes in pieces", () => {
  it("is the same as one that comes as a whole, however it is cut", () => {
    const random = randomFrom(15);
    for (let n = 0; n < 5000; n += 1) {
      const answer = writtenAtRandom(random);
      const whole = checkCitations(answer, sources);
      const pieces = inPieces(answer, random);
      const reader = new CitationReader(sources);
      const text = pieces.map((piece) => reader.push(piece)).join("") + reader.end();
      expect({ pieces, text, cited: reader.cited, problems: reader.problems }).toEqual({ pieces, ...whole });
    }
  });

  it("only loses citations and gains marks", () => {
    const random = randomFrom(16);
    for (let n = 0; n < 5000; n += 1) {
      const answer = writtenAtRandom(random);
      const { text } = checkCitations(answer, sources);
      const bare = (words: string) =>
        words.replaceAll(/ \((?:not )?in (?:the )?sources?[^)]*\)/g, "").replaceAll(/[\s\d[\],;–-]/g, "");
      expect(bare(text)).toBe(bare(answer));
    }
  });

  it.each([
    ["words go out at once", "The tower is high, and", "The tower is high, and"],
    ["a blank waits for a citation", "The tower is high ", "The tower is high"],
    ["brackets wait for their end", "The tower [1, ", "The tower"],
    ["brackets that can be no citation go out", "The tower [is", "The tower [is"],
    ["a price is no formula", "It costs $5 and more", "It costs $5 and more"],
    ["a quote waits for its citation", "It says: “The tower is 330 metres high” and so", "It says: "],
    [
      "a quote with its citation goes out",
      "“The tower is 330 metres high” [2]. So",
      "“The tower is 330 metres high” [2]. So",
    ],
    [
      "a quote without a citation goes out with its sentence",
      "“The tower is 330 metres high”. Then",
      "“The tower is 330 metres high”. Then",
    ],
    ["a term in quotation marks does not wait", "The “tower” is", "The “tower” is"],
    ["a lonely mark waits for the rest of its paragraph only", "It “is so\n\nThen", "It “is so\n\nThen"],
    ["the lines of code go out", "```\nx [9]\ny", "```\nx [9]\n"],
  ])("is held back as long as it is not certain: %s", (_, written, out) => {
    expect(new CitationReader(sources).push(written)).toBe(out);
  });

  it("takes linear time, sign by sign", async () => {
    for (const shape of ["[1]", '"a b ', "“a b c d e f g h", " ", "`", "$a", "\\[ ", "```\n", "a. ", "[1, "]) {
      const answer = shape.repeat(40_000 / shape.length);
      const reader = new CitationReader(sources);
      const time = await processorTime(() => {
        for (const sign of answer) reader.push(sign);
        reader.end();
      });
      expect(time, shape).toBeLessThan(5000);
    }
  });
});
