import type { CallGroup } from "./call-group.js";

/** The problem of signs around calls in which none can be read. */
export const unreadable = "Its tool call cannot be read.";

/** What a model does that only wants to show a call. */
export const howToShow =
  "To only show a call in your answer, put it in a code fence or in quotes, with words around it.";

/** The problem of a call that stands in words like an example. */
export const mayBeExample = `It has a call in the middle of other words, and it is not clear whether the call is meant. It was not made. To make it, write the call with nothing after it. ${howToShow}`;

/**
 * Tells whether words stand after calls. Brackets, quotes, tags and tokens that close something are none. The end of a sentence
 * after a backtick is one: the call stands in the sentence.
 */
export function wordsAfter(text: string, { end }: Pick<CallGroup, "end">): boolean {
  if (/^`[.,;:!?。]/.test(text.slice(end, end + 2))) return true;
  return /[\p{L}\p{N}]/u.test(text.slice(end).replaceAll(/<\/[\w:|]{1,40}>|<[|｜][^<>]{1,60}>/g, ""));
}

/** Returns the answer that the words around calls may be: if the model repeats them, and if they show the calls as it was told. */
export function asAnswer(text: string, found: Pick<CallGroup, "start" | "end">) {
  const answer = text.trim();
  return {
    ...(wordsAfter(text, found) && { ifRepeated: answer }),
    ...ifShown(text, found),
  };
}

/** Tells whether a place of a text stands in a code fence. */
export function isInFence(text: string, place: number): boolean {
  return text.slice(0, place).split("```").length % 2 === 0;
}

/** Returns the answer that shows calls in a code fence or in quotes. */
export function ifShown(text: string, { start, end }: Pick<CallGroup, "start" | "end">) {
  const isShown = isInFence(text, start) || /[`"'“‘«]\s*$/.test(text.slice(0, start));
  return isShown && !isAlone(text, { start, end }) ? { ifShown: text.trim() } : {};
}

/** Tells whether no words stand around calls. A fence alone is none. */
export function isAlone(text: string, { start, end }: Pick<CallGroup, "start" | "end">): boolean {
  return !/[\p{L}\p{N}]/u.test(text.slice(0, start).replace(/```\w*\s*$/, "") + text.slice(end));
}

/**
 * Tells whether calls without the signs of a form only stand in the words of an answer: more words follow, or the words before
 * them say that they are an example.
 */
export function isMention(text: string, found: Pick<CallGroup, "start" | "end">): boolean {
  return wordsAfter(text, found) || isExample(text.slice(Math.max(0, found.start - 300), found.start));
}

/**
 * The words of an example, a ban, a quotation or a request to confirm, right before a call: in English, German, Russian, Spanish, Vietnamese,
 * Japanese, Korean and Chinese. A ban names what not to do, as "I don't know" leads to a call.
 */
const exampleWords = new RegExp(
  [
    String.raw`\b(?:for example|e\.g\.|never|(?:do not|don['’]t) (?:call|run|use|execute|send|make)|(?:may|shall|should) I|must not|forbidden|verbatim|for reference|injected)\b`,
    String.raw`\b(?:zum beispiel|niemals|nie|ob ich|darf ich|soll ich|auf keinen fall|wortlaut|wörtlich)\b|verboten|nicht (?:aufrufen|ausführen|verwenden|benutzen)`,
    `например|никогда не|не (?:вызывай|выполняй|запускай|используй)|подтвердите|можно ли|ни в коем случае|запрещ|дословно|для справки`,
    String.raw`por (?:ejemplo|exemplo)|\bnunca\b|\bno (?:ejecutes|llames|uses|hagas)|confirme|prohibid|bajo ningún concepto|textualmente|como referencia`,
    `ví dụ[,:]|đừng|không (?:được|bao giờ) (?:chạy|gọi|dùng|thực hiện)|xác nhận|tuyệt đối không|nguyên văn`,
    String.raw`例えば|(?:実行|使用|送信|呼び出|使わ|呼ば)\S{0,4}ないで|絶対に|ご確認|禁止|原文|引用`,
    String.raw`예를 들어|(?:실행|호출|사용)\S{0,4} ?마|확인해 주|절대로|금지|원문|인용`,
    String.raw`例如|比如|(?:不要|切勿|请勿|别)\S{0,4}(?:执行|调用|运行|使用)|请确认|绝对不|禁止|原文|仅供参考`,
  ].join("|"),
  "i",
);

/** Tells whether the paragraph before a call says that the call is an example. */
export function isExample(before: string): boolean {
  const words = before.replace(/\s*(?:```\w*\s*)?`?$/, "");
  return exampleWords.test(words.slice(words.lastIndexOf("\n") + 1));
}
