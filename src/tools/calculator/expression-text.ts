/** The ways in which people and models write an operator or a constant, and the calculator's way. */
const spellings: readonly (readonly [RegExp, string])[] = [
  [/[×·⋅∙]/g, "*"],
  [/[÷∕]/g, "/"],
  [/[−–—]/g, "-"],
  [/\*\*/g, "^"],
  [/²/g, "^2"],
  [/³/g, "^3"],
  [/π/g, " pi "],
  [/τ/g, " tau "],
  [/[$€£¥₹元円원]|\b(?:USD|EUR|GBP|dollars?|euros?)\b/gi, ""],
  [/(?<=\d)_(?=\d)/g, ""],
  [/\b(?:the )?square root of\b/gi, "√"],
  [/\b(?:the )?cube root of\b/gi, "∛"],
  [/\bto the power of\b/gi, "^"],
  [/\b(?:multiplied by|times)\b/gi, "*"],
  [/\bdivided by\b/gi, "/"],
  [/\bplus\b/gi, "+"],
  [/\bminus\b/gi, "-"],
  [/\bsquared\b/gi, "^2"],
  [/\bcubed\b/gi, "^3"],
  [/(?<=[\d)%]|percent)\s*\bof\b/gi, "*"],
  [/\s%\s+(?=-[\d.(])/g, " mod "],
  [/%(?!\s*[\w.(√∛])/g, " percent "],
  [/(?<=[\d)])\s+x\s+(?=[\d(])/gi, "*"],
  [/(?<=[1-9)])x(?=[\d(])/gi, "*"],
  [/√\s*(\d[\d.]*)/g, "sqrt($1)"],
  [/√\s*(?=[(a-z])/gi, "sqrt"],
  [/∛\s*(\d[\d.]*)/g, "cbrt($1)"],
  [/∛\s*(?=[(a-z])/gi, "cbrt"],
];

/** The functions of several numbers. A comma in their parentheses separates two numbers and does not group digits. */
const argumentLists =
  /\b(?:min|max|sum|mean|median|gcd|lcm|mod|pow|atan2|hypot|nthRoot|combinations|permutations)\s*\(/y;
const thousands = /\d{1,3}(?:,\d{3})+(?!,?\d)/y;
const roundThousands = /\d{1,3}(?:,0\d\d)+(?!,?\d)/y;

/**
 * Reduces a question to its arithmetic expression: `what is $1,234.5 × 2?` becomes `1234.5 * 2`. A percentage becomes
 * `5 percent`, because `%` also means the remainder. It never guesses at a number. A comma that does not group
 * thousands stays, and is an error later.
 */
export function plainExpression(text: string): string {
  const bare = withoutPhrases(asciiForms(text));
  const spelled = spellings.reduce((result, [spelling, plain]) => result.replace(spelling, plain), joinThousands(bare));
  return spelled.replace(/\s+/g, " ").trim();
}

/** Replaces full-width digits, operators and parentheses, which East Asian keyboards write. */
function asciiForms(text: string): string {
  return text.replace(/[！-～]/g, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0));
}

function withoutPhrases(text: string): string {
  return text
    .trim()
    .replace(/^[`"']+|[`"']+$/g, "")
    .replace(/^\s*(?:please\s+)?(?:what(?:'s| is)|how much is|calculate|compute|evaluate|solve|expression:)\s+/i, "")
    .replace(/^(?:the )?(?:result|value) of\s+/i, "")
    .replace(/(?:\s|=|\?|\.(?!\d))+$/, "");
}

/** Takes the commas out of `1,234,567`. The arguments of a function stay: `max(100,200)` has two numbers. */
function joinThousands(text: string): string {
  let joined = "";
  const inArguments: boolean[] = [];
  for (let at = 0; at < text.length; ) {
    const call = matchAt(argumentLists, text, at);
    const afterDigit = /[\d.,]$/.test(joined);
    const number = afterDigit ? undefined : matchAt(inArguments.at(-1) ? roundThousands : thousands, text, at);
    const piece = call ?? number?.replaceAll(",", "") ?? text.charAt(at);
    if (piece.endsWith("(")) inArguments.push(call !== undefined);
    if (piece === ")") inArguments.pop();
    joined += piece;
    at += (call ?? number ?? piece).length;
  }
  return joined;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
