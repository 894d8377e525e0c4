import { surpriseOf, type UsualLetters, usualLetters, western } from "./usual-letters.js";

const sampleBytes = 4_000;
/** No longer character contains it. */
const lineBreak = 0x0a;
/** An encoding is told from another one if its text is less surprising by so much. */
const clearly = 3;
/** The largest part of the longer characters that may be broken in UTF-8. */
const mostBroken = 1 / 10;
/** So many may be broken also in a short text, if twice as many are not. */
const fewBroken = 2;

/**
 * Finds the encoding of a text: UTF-8 with a few broken bytes, or the one in which its letters are the usual ones of a language.
 *
 * @returns undefined if there is none, or if there are several. Windows-1252 need not be better than others, because it is by
 *   far the most common.
 */
export function recognisedEncoding(bytes: Uint8Array): string | undefined {
  const sample = sampleOf(bytes);
  if (isAlmostUtf8(sample)) return "utf-8";
  const readings = usualLetters().flatMap((letters) =>
    letters.encodings.map((encoding) => readingOf(sample, encoding, letters)),
  );
  const least = Math.min(...readings.map(({ surprise }) => surprise));
  const likely = readings
    .filter(({ surprise }) => surprise < least + clearly)
    .sort((one, other) => one.surprise - other.surprise);
  const best = likely.find(({ encoding }) => encoding === western) ?? likely[0];
  if (best === undefined || best.surprise > best.most) return undefined;
  const isDoubtful = likely.some(({ letters, text }) => letters !== best.letters && text !== best.text);
  return isDoubtful && best.encoding !== western ? undefined : best.encoding;
}

/** Decodes bytes of which the end may be missing. */
export function decoded(bytes: Uint8Array, encoding: string): string {
  // Node.js 20 decodes windows-1252 wrongly if it is not one of several pieces. A piece may end within a character.
  return new TextDecoder(encoding).decode(bytes, { stream: true });
}

/** Takes the first bytes that are not ASCII, each with its neighbours: the next may be the second byte of its character. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const sample: number[] = [];
  for (let at = 0; at < bytes.length && sample.length < sampleBytes; at++) {
    const [before = 0, byte = 0, after = 0] = [bytes[at - 1], bytes[at], bytes[at + 1]];
    if (byte > 0x7f || before > 0x7f || after > 0x7f) sample.push(byte);
    else if (sample.at(-1) !== lineBreak) sample.push(lineBreak);
  }
  return Uint8Array.from(sample);
}

function isAlmostUtf8(sample: Uint8Array): boolean {
  const longer = decoded(sample, "utf-8").match(/[^\0-\x7f]/gu) ?? [];
  const broken = longer.filter((one) => one === "\ufffd").length;
  return broken < longer.length * mostBroken || (broken > 0 && broken <= fewBroken && longer.length >= 3 * broken);
}

/** Reads a sample in an encoding, as a text in a language. */
function readingOf(sample: Uint8Array, encoding: string, letters: UsualLetters) {
  // The half of a character at the end counts as broken.
  const decoder = new TextDecoder(encoding);
  const text = decoder.decode(sample, { stream: true }) + decoder.decode();
  const most = letters.most * (text.match(/[^\0-\x7f]/gu)?.length ?? 0);
  return { encoding, letters, text, surprise: surpriseOf(text, letters), most };
}

/**
 * Finds the order of the bytes of UTF-16 by its spaces and line breaks. In the other order these are other characters, or none.
 * Characters of which both bytes are ASCII come from a text of single bytes, with a zero in it.
 *
 * @returns undefined if it is not UTF-16.
 */
export function utf16Of(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, sampleBytes);
  if (!sample.includes(0)) return undefined;
  const [little = 0, big = 0] = ["utf-16le", "utf-16be"].map((encoding) => {
    const text = decoded(sample, encoding);
    const isText = !/[\p{Cn}\p{Co}\p{Cs}\0\ufffd]/u.test(text) && !isTwoBytesOfAscii(text);
    return isText ? (text.match(/[\n\r ]/g)?.length ?? 0) : 0;
  });
  return little > big ? "utf-16le" : big > little ? "utf-16be" : undefined;
}

function isTwoBytesOfAscii(text: string): boolean {
  const hiragana = 0x30;
  const codes = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  const isPrintable = (byte: number) => byte >= 0x09 && byte < 0x7f;
  const double = codes.filter((code) => code >> 8 !== hiragana && isPrintable(code >> 8) && isPrintable(code & 0xff));
  return double.length > (codes.length * 3) / 5;
}
