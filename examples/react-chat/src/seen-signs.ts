/** Signs that nobody sees. They could hide a part of what a person decides about. */
const unseen = /[^\P{Cc}\t\n]|[\p{Cf}\p{Cs}\u2028\u2029]|\p{Default_Ignorable_Code_Point}/gu;

/** Writes a call in one line. */
export function writeCall(tool: string, input: unknown): string {
  return `${withSeenSigns(tool)}(${seenJson(input)})`;
}

/** Writes JSON in one line, with each invisible character as an escape, such as `\u200b`. The value stays the same. */
export function seenJson(value: unknown): string {
  const units = (sign: string) =>
    sign.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return JSON.stringify(value).replace(unseen, (sign) => units(sign).join(""));
}

/** Shows each sign that nobody sees by its number, such as `\u{200b}`. */
export function withSeenSigns(text: string): string {
  return text.replace(unseen, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}
