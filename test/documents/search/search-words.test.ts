import { describe, expect, it } from "vitest";
import { searchableText } from "../../../src/documents/index/indexed-words.js";
import { searchLists, searchWords } from "../../../src/documents/search/search-words.js";

describe("searchableText", () => {
  it.each([
    ["Handle errors.", "handle errors"],
    ["error-handling", "errorhandling error handling"],
    ["fs.readFileSync()", "fsreadfilesync fs readfilesync read file sync"],
    ["HTMLElement", "htmlelement html element"],
    ["max\\_tokens", "maxtokens max tokens"],
    ["l’installation", "linstallation l installation"],
    ["Vue's", "vue"],
    ["Café, İstanbul, Łódź, Ærø", "cafe istanbul lodz aero aeroe"],
    ["Löschung, Straße, STRASSE", "loschung loeschung strasse strasse"],
    ["docu\u00admen\u200btation", "documentation"],
    ["Vue 中文版", "vue 中文 文版 版"],
    ["แมว", "แม มว ว"],
    ["हिन्दी", "हिन्दी"],
    ["Зависимостям, параметрами, путь, слой, её", "зависимост параметр пут сло ее"],
  ])("%j has the words %j", (text, words) => {
    expect(searchableText(text)).toBe(words);
  });

  it("looks at each letter of a long word a few times at most", () => {
    const word = "щ".repeat(200_000);
    expect(searchableText(word) === word).toBe(true);
  });

  it("makes no word of a chain that is longer than any name", () => {
    expect(
      searchableText("part.".repeat(50))
        .split(" ")
        .every((word) => word === "part"),
    ).toBe(true);
  });
});

describe("searchWords", () => {
  it.each([
    ["What is the price?", ["price"]],
    ["Who works in IT?", ["works", "it"]],
    ["the NOT operator", ["not", "operator"]],
    ["what is it", []],
    ["如何更新", ["如何", "何更", "更新"]],
    ["猫", ["猫"]],
    ['a "quoted" word', ["quoted", "word"]],
  ])("%j looks for %j", (question, words) => {
    expect(searchWords(question)).toEqual(words);
  });

  it("takes both ends of a text that is too long", () => {
    const words = searchWords(`first ${"filler ".repeat(5_000)}last 更新`);
    expect(words.slice(0, 2)).toEqual(["first", "filler"]);
    expect(words.slice(-2)).toEqual(["last", "更新"]);
    const many = searchWords(Array.from({ length: 500 }, (_, n) => `word${n}`).join(" "));
    expect([many.length, many[0], many.at(-1)]).toEqual([200, "word0", "word499"]);
  });
});

describe("searchLists", () => {
  const log = Array.from({ length: 45 }, (_, n) => `at step${n} (part${n}:1)`).join("\n");

  it("looks for the first and the last line of a long text by themselves, too", () => {
    const [all, last, first] = searchLists(`${log}\n\nHow do I renew it?\n`);
    expect(all?.length).toBeGreaterThan(90);
    expect(last).toEqual(["renew"]);
    expect(first).toEqual(["step0", "part0", "1"]);
  });

  it("has one list for a short text, and none for words that only ask", () => {
    expect(searchLists("Renew it.\nHow?")).toEqual([["renew"]]);
    expect(searchLists("how")).toEqual([]);
  });
});
