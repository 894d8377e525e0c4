import { describe, expect, it } from "vitest";
import { readCalculation } from "../../../src/model/offline/calculation.js";
import { quantitiesIn } from "../../../src/model/offline/quantities.js";

describe("readCalculation", () => {
  it.each([
    ["What is 25^(1/2)?", "25^(1/2)"],
    ["(54-32)*5/9", "(54-32)*5/9"],
    ["what is the square root of 25?", "sqrt(25)"],
    ["What is 15% of 240?", "15/100*240"],
    ["How much is 1,234.5 + 10?", "1234.5+10"],
    ["Please calculate 12 times 12", "12*12"],
    ["Can you tell me what is 7 minus 9?", "7-9"],
    ["2+2=?", "2+2"],
    ["3 x 4", "3*4"],
    ["10 divided by 4", "10/4"],
    ["What is 5 squared?", "5^2"],
    ["What is 2 to the power of 10?", "2^10"],
    ["What is 29 raised to the 0.23 power?", "29^0.23"],
    ["half of 7", "7/2"],
    ["What is the cube root of 27?", "27^(1/3)"],
    ["What is the square root of 15% of 240?", "sqrt(15/100*240)"],
    ["What is sqrt(2) + log(10)?", "sqrt(2)+log(10)"],
  ])("reads %j as %j", (question, expression) => {
    expect(readCalculation(question)?.expression()).toBe(expression);
  });

  it.each([
    ["What is 54°F in Celsius?", "(54-32)*5/9"],
    ["convert 12 degrees Celsius to Fahrenheit", "12*9/5+32"],
    ["20 C in F", "20*9/5+32"],
    ["What is 300 kelvin in °C?", "300-273.15"],
    ["How many miles is 5 km?", "5*1000/1609.344"],
    ["How many seconds are in a day?", "1*86400/1"],
  ])("converts %j by %j", (question, expression) => {
    expect(readCalculation(question)?.expression()).toBe(expression);
  });

  it("leaves a place for what has to be looked up first", () => {
    const root = readCalculation("What is the square root of the world record time for juggling?");
    expect(root?.lookup).toBe("the world record time for juggling");
    expect(root?.expression({ text: "3.05 seconds", value: "3.05" })).toBe("sqrt(3.05)");

    const converted = readCalculation("What was the high temperature in Oslo in Celsius?");
    const [found] = quantitiesIn("It was 54 °F.");
    expect(converted?.lookup).toBe("the high temperature in Oslo");
    expect(converted?.expression(found)).toBe("(54-32)*5/9");
    expect(converted?.expression(quantitiesIn("It took 3 hours.")[0])).toBeUndefined();
  });

  it.each([
    "Who made this robot?",
    "What is 42?",
    "When was 1984 written?",
    "What is a 3x3x3 cube?",
    "What happened on 2024-05-21?",
    "Is 7 a prime number?",
    "*3",
    "",
    "?",
  ])("finds no arithmetic in %j", (question) => {
    expect(readCalculation(question)).toBeUndefined();
  });
});

describe("quantitiesIn", () => {
  it("reads numbers with their units", () => {
    const found = quantitiesIn("54 °F, 3.05 seconds, $2.8 billion, 1,234 km, -3.5 and 96 per cent");
    expect(found.map(({ value, unit }) => [value, unit?.symbol])).toEqual([
      ["54", "°F"],
      ["3.05", "s"],
      ["2.8*10^9", "dollars"],
      ["1234", "km"],
      ["-3.5", undefined],
      ["96", undefined],
    ]);
  });

  it("leaves out dates, years, ordinals, sizes and parts of names", () => {
    const text =
      "On 3 April 2023, April 5, 2024, in May 2025, in 1974, on 2024-05-21 at 10:30, the 2nd CubeStormer-3 of a 3x3x3, mid-2025";
    expect(quantitiesIn(text)).toEqual([]);
  });
});
