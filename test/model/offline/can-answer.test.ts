import { describe, expect, it } from "vitest";
import { bestSentence } from "../../../src/model/offline/best-sentence.js";

const found = `[1] tennis.md, Champions
Ann Bell won the women's singles of the Lake Cup in 2022, when she was 19 years old. Ann Bell was born on 5 May 2003.
Tom Reed of Wales was the men's singles champion of the Lake Cup in 2023.

[2] people.md, Philosophers
Ida was about 71 years old when she died in Bergen in 1899. Olaf was a student of Ida and the teacher of Per.

[3] films.md, Plot of Blue Moon
The plot of Blue Moon is that a boat is lost at sea. Vera was lost a film earlier, in Red Sun (2018).

[4] towers.md, The Kite Tower
The Kite Tower was opened by Eva Lind in 1931. It has a height of 88 metres.`;

describe("a sentence", () => {
  it.each([
    ["Who won the Lake Cup in 2022?", /^Ann Bell won/],
    ["Who won the Lake Cup in 2023?", /^Tom Reed/],
    ["How old was Ann Bell when she won the Lake Cup?", /19 years old/],
    ["When did Ida die?", /1899/],
    ["Where did Ida die?", /Bergen/],
    ["Who was Ida's student?", /^Olaf/],
    ["Who was Per's teacher?", /^Olaf/],
    ["Who is Tom Reed?", /^Tom Reed/],
    ["What is the plot of Blue Moon?", /boat/],
    ["How high is the Kite Tower?", /88 metres/],
    ["When was the Kite Tower opened?", /1931/],
    ["Was the men's champion Tom Reed from Spain?", /Wales/],
  ])("answers %j", (question, answer) => {
    expect(bestSentence(found, question)).toMatch(answer);
  });

  it.each([
    ["of another year", "Who won the Lake Cup in 2021?"],
    ["of another year of life", "How old is Ann Bell in 2025?"],
    ["of another day", "Who was born on 6 May 2003?"],
    ["about another name", "Who won the Hill Cup in 2022?"],
    ["about men", "Who won the men's singles of the Lake Cup in 2022?"],
    ["with a date, but no place", "Where was Ann Bell born?"],
    ["with years, but no height", "How tall is Ann Bell?"],
    ["with a height, but no year", "How old is the Kite Tower?"],
    ["about something else that was done", "When was the Kite Tower painted?"],
    ["without the doing", "Who painted the Kite Tower?"],
    ["with the relation turned round", "Who was Ida's teacher?"],
    ["about another film", "What is the plot of Red Sun?"],
    ["without a comparison", "How much older was Ida than Ann Bell?"],
    ["about what would be", "How old would Ida be now?"],
    ["about something else that is counted", "How many films are there with Ann Bell?"],
    ["of a past year", "Who is the men's singles champion of the Lake Cup today?"],
    ["that does not tell the doer", "Who lost Vera?"],
    ["about nothing", "And in what year?"],
  ])("%s is no answer: %s", (_, question) => {
    expect(bestSentence(found, question)).toBeUndefined();
  });
});
