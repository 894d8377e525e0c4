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
export const veryUnusual = 10;

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
  [["windows-1254"], "ıüşğçöâîû"],
  [["windows-1253", "iso-8859-7"], "αοιετσνηυρπκμλίςόάωέγδήχθύφώβξζψϊϋΐΰ"],
  [["windows-1251", "koi8-r"], "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґўјљњћђџѕ"],
];
const signs = "\u00a0\u00ad“”„‘’‚–—…«»€°§©®·•¿¡×±µ²³½№™─│├└";
const wideSigns = "、。「」『』（），：；！？《》〈〉【】・〜～％“”‘’—…·－＝／　─│├└→";

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
  ];
  return known;
}

function byRank(letters: string): ReadonlyMap<string, number> {
  const surprise = new Map(Array.from(signs, (sign) => [sign, 6]));
  for (const [rank, letter] of [...letters].entries()) {
    surprise.set(letter.toUpperCase(), 2.5 + Math.log(rank + 2)).set(letter, 1 + Math.log(rank + 2));
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
