import { describe, expect, it } from "vitest";
import { decodeText } from "../../../src/documents/reading/encoded-text.js";

const chinese =
  "每位员工每年有二十八天假期。请在三月底之前把假期计划告诉你的经理，如果计划有变化，也要尽快通知大家。没有用完的假期可以保留到第二年的四月。";
const japanese =
  "社員には毎年二十八日の休暇があります。三月末までに休暇の予定を上司に伝えてください。予定が変わったときは、すぐにみんなに知らせましょう。";
const korean =
  "모든 직원은 해마다 스물여덟 날의 휴가를 받습니다. 삼월 말까지 휴가 계획을 팀장에게 알려 주세요. 계획이 바뀌면 바로 모두에게 알려야 합니다.";
const russian =
  "У каждого сотрудника двадцать восемь дней отпуска в году. Сообщите руководителю о своих планах до конца марта, а если они изменятся, скажите об этом всем.";
const german =
  "Alle Beschäftigten haben achtundzwanzig Tage Urlaub im Jahr. Bitte nennen Sie der Führungskraft Ihre Pläne bis Ende März; wenn sich etwas ändert, sagen Sie es möglichst früh.";
const polish =
  "Każdy pracownik ma dwadzieścia osiem dni urlopu w roku. Proszę przekazać swoje plany przełożonemu do końca marca, a jeśli się zmienią, powiedzieć o tym wszystkim jak najwcześniej.";
const greek =
  "Κάθε εργαζόμενος έχει είκοσι οκτώ ημέρες άδειας τον χρόνο. Πείτε τα σχέδιά σας στον υπεύθυνο πριν από το τέλος του Μαρτίου, και αν αλλάξουν, ενημερώστε όλους τους άλλους.";
const hebrew = "כל עובד זכאי לעשרים ושמונה ימי חופשה בשנה. נא להודיע למנהל על התוכניות עד סוף מרץ, וגם אם הן משתנות.";

describe("a text in its usual encoding is read:", () => {
  it.each([
    ["gb18030", chinese],
    ["shift_jis", japanese],
    ["euc-jp", japanese],
    ["euc-kr", korean],
    ["windows-1251", russian],
    ["koi8-r", russian],
    ["windows-1252", german],
    ["windows-1250", polish],
    ["iso-8859-2", polish],
    ["windows-1253", greek],
    ["windows-1255", hebrew],
    ["windows-1251", russian.toUpperCase()],
    ["windows-1252", german.toUpperCase()],
  ])("%s", (encoding, text) => {
    const lines = `# ${text}\n\n\`\`\`sh\nnpm start\n\`\`\`\n\n${text}\n`;
    expect(decodeText(encoded(lines, encoding))).toBe(lines);
  });

  it.each([chinese, german])("UTF-16 without a mark (%s)", (text) => {
    const bytes = Buffer.from(`${text}\n${text}\n`, "utf16le");
    expect(decodeText(bytes)).toBe(`${text}\n${text}\n`);
    expect(decodeText(bytes.swap16())).toBe(`${text}\n${text}\n`);
  });
});

describe("the encoding of a text", () => {
  it("is UTF-8 also with a few broken bytes, and at an end within a character", () => {
    const bytes = Buffer.from(`${russian} ${chinese}`);
    bytes[31] = 0xff;
    const broken = decodeText(bytes.subarray(0, -1));
    expect(broken?.match(/\ufffd/g)).toHaveLength(2);
    expect(broken).toContain("Сообщите руководителю");
    expect(broken).toContain("二十八天假期");
  });

  it("is windows-1252 if a few characters leave it open", () => {
    expect(decodeText(Buffer.from("Caf\xe9 \x93Orl\xe9ans\x94 \x96 10 \x80", "latin1"))).toBe("Café “Orléans” – 10 €");
  });

  it("does not lose its last letter, which may be half of another one", () => {
    expect(decodeText(Buffer.from("caffè", "latin1"))).toBe("caffè");
    expect(decodeText(Buffer.from("A Ü", "latin1"))).toBeUndefined();
  });

  it.each([
    "The fee is £50 or £60, £ 70 for two, and £80 for three.",
    "Add ½ cup or 1½ cups, ¼ cup, ¾ cup, 5¢, ¥6.",
    "See the note† and that‡, ¶ 5, m¹, 1ª, nº 3, 6 ÷ 2, ¤ 3, a ¦ b, ~¨.",
  ])("is windows-1252 if there are only signs (%s)", (text) => {
    expect(decodeText(Buffer.from(text.replace("†", "\x86").replace("‡", "\x87"), "latin1"))).toBe(text);
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

  it("is not known if half of a character may be a whole one", () => {
    const bytes = Array.from("ﾊﾟｽﾜｰﾄﾞｦﾆｭｳﾘｮｸｼﾃｸﾀﾞｻｲ", (one) => one.charCodeAt(0) - 0xff61 + 0xa1);
    expect(decodeText(Uint8Array.from(bytes))).toBeUndefined();
  });

  it("is what the page says, unless the page is UTF-8, or says so and is not", () => {
    expect(decodeText(encoded(greek, "iso-8859-7"), "iso-8859-7")).toBe(greek);
    expect(decodeText(Buffer.from(chinese), "gb2312")).toBe(chinese);
    expect(decodeText(encoded(russian, "koi8-r"), "utf-8")).toBe(russian);
    expect(decodeText(Buffer.from('\x1b$B$"\x1b(B'), "iso-2022-jp")).toBe("あ");
  });

  it("is not guessed if its letters are those of no language", () => {
    expect(decodeText(encoded(russian, "ibm866"))).toBeUndefined();
    expect(decodeText(encoded(russian, "iso-8859-5"))).toBeUndefined();
    expect(decodeText(Uint8Array.from({ length: 2_000 }, (_, at) => 1 + ((at * at * 7) % 255)))).toBeUndefined();
  });

  it("does not matter if almost all is ASCII", () => {
    const log = "The disk is full.\n".repeat(50);
    expect(decodeText(Buffer.from(`${log}\xff\xfe\x90\xa8 ${log}`, "latin1"))).toContain(`${log}\ufffd`);
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
