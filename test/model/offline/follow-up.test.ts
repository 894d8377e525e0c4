import { describe, expect, it } from "vitest";
import { standaloneQuestion } from "../../../src/model/offline/follow-up.js";
import type { PastTurn } from "../../../src/model/offline/read-prompt.js";

const weather = {
  question: "How warm was it in Berlin on 3 May 2023?",
  answer: "It was 61 °F in Berlin on 3 May 2023.",
};
const juggling = {
  question: "What is the world record for juggling seven clubs?",
  answer: "The world record for juggling seven clubs is 16 minutes, set by Anna Berg of Norway in May 2020.",
};
const robot = {
  question: "Can a robot juggle seven clubs longer?",
  answer: "The longest time that a robot has juggled is 20 minutes, by Juggletron 3 in April 2021.",
};
const sum = { question: "What is 3 + 4?", answer: "3 + 4 is 7." };
const film = {
  question: "What is the first film of the series?",
  answer: "The first film of the series is Night Train: Dawn (2008).",
};
const plot = { question: "What is the plot of Night Train: Dawn?", answer: "A train leaves at night, with Max Ohm." };
const age = {
  question: "How old is Carl Berg?",
  answer: "Carl Berg won the Tall Ships Race when he was 19 years old.",
};
const clause = { question: "How old was Carl Berg when he died?", answer: "Carl Berg was 80 years old when he died." };
const thanks = { question: "Thanks!", answer: "You are welcome." };

describe("standaloneQuestion", () => {
  const cases: [asked: string, history: PastTurn[], standalone: string][] = [
    ["What is that in Celsius?", [weather], "What is 61 °F in Celsius?"],
    ["And in celsius?", [weather], "What is 61 °F in celsius?"],
    ["And the same value in celsius?", [weather], "What is 61 °F in celsius?"],
    ["And in Madrid?", [weather], "How warm was it in Madrid on 3 May 2023?"],
    ["What about Madrid?", [weather, sum, thanks], "How warm was it in Madrid on 3 May 2023?"],
    ["And on 4 May 2023?", [weather], "How warm was it in Berlin on 4 May 2023?"],
    ["Can a robot juggle them longer?", [juggling], "Can a robot juggle seven clubs longer?"],
    ["Who holds it?", [juggling], "Who holds the world record for juggling seven clubs?"],
    ["When was this record set?", [juggling], "When was the world record for juggling seven clubs set?"],
    ["How old is she?", [juggling], "How old is Anna Berg?"],
    ["What is her hometown?", [juggling], "What is Anna Berg's hometown?"],
    ["How old is she?", [juggling, thanks], "How old is Anna Berg?"],
    ["Who made this robot?", [robot], "Who made the robot Juggletron 3?"],
    ["Who made it?", [robot], "Who made the robot that can juggle seven clubs longer?"],
    ["What is that squared?", [sum], "What is 7 squared?"],
    ["And times 3?", [sum], "What is 7 times 3?"],
    ["Double it", [sum], "Double 7"],
    ["Who directed it?", [film], "Who directed Night Train: Dawn?"],
    ["What is the plot?", [film], "What is the plot of Night Train: Dawn?"],
    ["Who dies in this film?", [film], "Who dies in the film Night Train: Dawn?"],
    ["Who dies in this film?", [plot], "Who dies in the film Night Train: Dawn?"],
    ["Where is he from?", [age], "Where is Carl Berg from?"],
    ["And Anna Berg?", [clause], "How old was Anna Berg when he died?"],
  ];

  it.each(cases)("makes %j stand on its own", (asked, history, standalone) => {
    expect(standaloneQuestion(asked, history)).toBe(standalone);
  });

  it.each([
    "What is the capital of France?",
    "What is a clarinet and who invented it?",
    "What time is it?",
    "Is it true that this is so?",
    "How old was Carl Berg when he died?",
    "What was a clarinet called before it was improved?",
    "Which film that won a prize did Anna Berg like?",
    "",
  ])("leaves %j as it is", (asked) => {
    expect(standaloneQuestion(asked, [sum])).toBe(asked);
    expect(standaloneQuestion(asked, [film])).toBe(asked);
  });

  it("leaves a question as it is when there is no conversation", () => {
    expect(standaloneQuestion("Who made it?", [])).toBe("Who made it?");
  });
});
