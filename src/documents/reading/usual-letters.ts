/** The letters of a language, and how surprising each is: the more common, the less. */
export interface UsualLetters {
  readonly encodings: readonly string[];
  readonly surprise: ReadonlyMap<string, number>;
  /** A text in the language surprises no more, per letter. */
  readonly most: number;
}

/** The encoding of most files that do not say theirs, and have no other. */
export const western = "windows-1252";

/** A character that a language does not use. */
const veryUnusual = 10;

/** How much more surprising a capital is, unless it follows another one. */
const capitalSurprise = 1.5;

/** How much more surprising a character is where it is misplaced. */
const misplacedSurprise = 4;

/** Letters that are not ASCII, the most common of a language first. */
const alphabets: readonly (readonly [encodings: readonly string[], letters: string])[] = [
  [[western], "éäüöáíóàèñçßêãúåøâæôîëïœùõûòìÿ"],
  [[western], "üäöß"],
  [[western], "éàèêçùâîôûëïœ"],
  [[western], "óíáéúñü"],
  [[western], "èàùòìé"],
  [[western], "ãçáéíóêõâúà"],
  [[western], "åäöøæé"],
  [["windows-1250", "iso-8859-2"], "ąęłóżśćńźöäüé"],
  [["windows-1250", "iso-8859-2"], "áíéěýžřčšůúťňďóľôäĺŕ"],
  [["windows-1250", "iso-8859-2"], "áéöőíóüűú"],
  [["windows-1250", "iso-8859-2"], "ăîşâţ"],
  [["windows-1254"], "ıüşğçöâîû"],
  [["windows-1253", "iso-8859-7"], "αοιετσνηυρπκμλίςόάωέγδήχθύφώβξζψϊϋΐΰ"],
  [["windows-1251", "koi8-r"], "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґўјљњћђџѕ"],
  [["windows-1255"], "יוהלאתרמבשנעחםדפקטצגזסכןךףץ"],
];
const signs = "\u00a0\u00ad“”„‘’‚–—…«»€°§©®·•¿¡×±µ²³½№™─│├└£¢¥¤¦¨¶†‡¹ªº¼¾÷";
const halfWidthKana = String.fromCharCode(...Array.from({ length: 0x3f }, (_, at) => 0xff61 + at));
const wideSigns = "、。「」『』（），：；！？《》〈〉【】・〜～％“”‘’—…·－＝／　─│├└→";

const misplaced: readonly RegExp[] = [
  /\p{Ll}\p{Lu}|ς\p{L}/gu, // Capitals begin words, and this sigma ends them.
  /(?<!\p{L})(?![\0-\x7fµ])[\p{Ll}\p{Lu}](?!\p{L})/gu, // A letter by itself.
  /(?<=[\p{Ll}\p{Lu}])[\p{S}\p{No}¿¡](?=[\p{Ll}\p{Lu}])/gu, // A sign in a word.
  // Hebrew and kana of half the width: beside a letter or digit of ASCII, or alone.
  /(?<=[a-zA-Z\d])[א-ת｡-ﾟ]|[א-ת｡-ﾟ](?=[a-zA-Z\d])|(?<![א-ת｡-ﾟ])[א-ת｡-ﾟ](?![א-ת｡-ﾟ])/gu,
  /(?<!\p{L})[α-ω]{4,}(?!\p{L})/gu, // Greek words have an accent.
];

/**
 * Tells how surprising a text is in a language. Characters that are where no language has them show that the encoding is
 * another one.
 */
export function surpriseOf(text: string, { surprise }: UsualLetters): number {
  const letters = Array.from(text).filter((one) => one > "\x7f");
  const each = letters.map((one) => surprise.get(one) ?? veryUnusual);
  const capitals = text.match(/(?<=\p{Lu})(?![A-Z])\p{Lu}/gu)?.length ?? 0;
  const wrong = misplaced.reduce((sum, pattern) => sum + (text.match(pattern)?.length ?? 0), 0);
  return each.reduce((sum, one) => sum + one, 0) - capitals * capitalSurprise + wrong * misplacedSurprise;
}

let known: readonly UsualLetters[] | undefined;

/** Returns the letters of all languages that are recognised. */
export function usualLetters(): readonly UsualLetters[] {
  known ??= [
    ...alphabets.map(([encodings, letters]) => ({
      encodings,
      surprise: byRank(letters),
      most: encodings[0] === western ? 6.5 : 4,
    })),
    { encodings: ["gb18030"], surprise: equally([rows("gb18030", 0xb0, 0xd7), 6.5]), most: 7 },
    { encodings: ["big5"], surprise: equally([rows("big5", 0xa4, 0xc6, 0x40), 6.5]), most: 7 },
    { encodings: ["euc-kr"], surprise: equally([rows("euc-kr", 0xb0, 0xc8), 6]), most: 7 },
    {
      encodings: ["euc-jp", "shift_jis"],
      surprise: equally([rows("euc-jp", 0xb0, 0xcf), 7], [`${rows("euc-jp", 0xa4, 0xa5)}ー`, 4.5]),
      most: 7,
    },
    // These bytes may be anything, so they are not read.
    { encodings: ["shift_jis"], surprise: equally([halfWidthKana, 3.5]), most: 0 },
  ];
  return known;
}

function byRank(letters: string): ReadonlyMap<string, number> {
  const surprise = new Map(Array.from(signs, (sign) => [sign, 6]));
  for (const [rank, letter] of [...letters].entries()) {
    const small = 1 + Math.log(rank + 2);
    surprise.set(letter.toUpperCase(), small + capitalSurprise).set(letter, small);
  }
  return surprise;
}

function equally(...groups: readonly (readonly [letters: string, surprise: number])[]): ReadonlyMap<string, number> {
  return new Map(
    [...groups, [wideSigns, 4] as const].flatMap(([letters, each]) => Array.from(letters, (one) => [one, each])),
  );
}

/** Returns the characters of some first bytes. The standards of East Asia keep the common ones together. */
function rows(encoding: string, first: number, last: number, lowest = 0xa1): string {
  const bytes: number[] = [];
  for (let lead = first; lead <= last; lead++) for (let trail = lowest; trail <= 0xfe; trail++) bytes.push(lead, trail);
  return new TextDecoder(encoding).decode(Uint8Array.from(bytes)).replaceAll("\ufffd", "");
}
