import { describe, expect, it } from "vitest";
import { decodeText } from "../../../src/documents/reading/encoded-text.js";

const chinese =
  "每位员工每年有二十八天假期。请在三月底之前把假期计划告诉你的经理，如果计划有变化，也要尽快通知大家。没有用完的假期可以保留到第二年的四月。";
const russian =
  "У каждого сотрудника двадцать восемь дней отпуска в году. Сообщите руководителю о своих планах до конца марта, а если они изменятся, скажите об этом всем.";
const german =
  "Alle Beschäftigten haben achtundzwanzig Tage Urlaub im Jahr. Bitte nennen Sie der Führungskraft Ihre Pläne bis Ende März; wenn sich etwas ändert, sagen Sie es möglichst früh.";
const greek =
  "Κάθε εργαζόμενος έχει είκοσι οκτώ ημέρες άδειας τον χρόνο. Πείτε τα σχέδιά σας στον υπεύθυνο πριν από το τέλος του Μαρτίου, και αν αλλάξουν, ενημερώστε όλους τους άλλους.";

describe("the encoding of a text", () => {
  it("is UTF-8 also with a few broken bytes, and at an end within a character", () => {
    const bytes = Buffer.from(`${russian} ${chinese}`);
    bytes[31] = 0xff;
    const broken = decodeText(bytes.subarray(0, -1));
    expect(broken?.match(/\ufffd/g)).toHaveLength(2);
    expect(broken).toContain("Сообщите руководителю");
    expect(broken).toContain("二十八天假期");
  });

  it.each([chinese, german])("is UTF-16 also without a mark (%s)", (text) => {
    const bytes = Buffer.from(`${text}\n${text}\n`, "utf16le");
    expect(decodeText(bytes)).toBe(`${text}\n${text}\n`);
    expect(decodeText(bytes.swap16())).toBe(`${text}\n${text}\n`);
  });

  it("is UTF-8 with one broken byte in a short text", () => {
    for (const text of ["Straße, Größe", "年假政策规定员工"]) {
      expect(decodeText(Buffer.concat([Buffer.from(text), Buffer.of(0xff, 0x0a)]))).toBe(`${text}\ufffd\n`);
    }
  });

  it("is not UTF-16 if a text has zeros in it, or says so in letters that are ASCII", () => {
    const line = "name\0 value of the pump \n";
    expect(decodeText(Buffer.from(line.repeat(40)))).toBe(line.repeat(40));
    expect(decodeText(Buffer.from('<meta charset="utf-16">'), "utf-16")).toBe('<meta charset="utf-16">');
  });

  it("is what the page says, unless the page is UTF-8, or says so and is not", () => {
    expect(decodeText(encoded(greek, "iso-8859-7"), "iso-8859-7")).toBe(greek);
    expect(decodeText(Buffer.from(chinese), "gb2312")).toBe(chinese);
    expect(decodeText(encoded(russian, "koi8-r"), "utf-8")).toBeUndefined();
    expect(decodeText(Buffer.from('\x1b$B$"\x1b(B'), "iso-2022-jp")).toBe("あ");
  });

  it.each([
    ["gb18030", chinese],
    ["koi8-r", russian],
    ["windows-1252", german],
    ["windows-1252", `${"The disk is full.\n".repeat(50)}Naïve.`],
    ["iso-8859-7", greek],
  ])("is not guessed: %s", (encoding, text) => {
    expect(decodeText(encoded(text, encoding))).toBeUndefined();
  });
});

/** Encodes a text by looking for each of its characters. */
function encoded(text: string, encoding: string): Uint8Array {
  const codes = new Map<string, readonly number[]>();
  for (let first = 0xff; first >= 0; first--) {
    for (let second = 0xff; second >= 0x40 && first > 0x7f; second--) {
      const read = new TextDecoder(encoding).decode(Uint8Array.of(first, second));
      if ([...read].length === 1) codes.set(read, [first, second]);
    }
    codes.set(new TextDecoder(encoding).decode(Uint8Array.of(first), { stream: true }), [first]);
  }
  return Uint8Array.from([...text].flatMap((one) => codes.get(one) ?? []));
}
