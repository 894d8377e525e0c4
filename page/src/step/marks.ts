import { diffWordsWithSpace } from "diff";

/** A piece of two texts: in both, only in the one before, or only in the one now. */
export interface Mark {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Beyond these the texts count as different: looking for what they share would take too long. */
const most = { maxEditLength: 400 };
const MOST_CHARACTERS = 20_000;

/** Marks what differs in two texts: words if at least half of them agree, else the whole. */
export function marksOfTexts(before: string, now: string): Mark[] {
  if (before === now) return [{ kind: "same", text: now }];
  const marks = before.length + now.length > MOST_CHARACTERS ? undefined : diffWordsWithSpace(before, now, most);
  if (marks === undefined || !doAgree(marks.map(toMark))) {
    const whole: Mark[] = [
      { kind: "removed", text: before },
      { kind: "added", text: now },
    ];
    return whole.filter(({ text }) => text !== "");
  }
  return marks.map(toMark);
}

function toMark({ added, removed, value }: { added: boolean; removed: boolean; value: string }): Mark {
  return { kind: added ? "added" : removed ? "removed" : "same", text: value };
}

function doAgree(marks: readonly Mark[]): boolean {
  const wordsIn = (kind: Mark["kind"]) =>
    marks
      .filter((mark) => mark.kind === kind)
      .reduce((sum, { text }) => sum + (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0), 0);
  return wordsIn("same") >= Math.max(wordsIn("removed"), wordsIn("added"));
}

/** An input of a call, field by field, as one text with its differences marked. */
export function marksOfInputs(before: unknown, now: unknown): Mark[] {
  if (!isFields(before) || !isFields(now)) return marksOfTexts(inJson(before), inJson(now));
  const names = [...new Set([...Object.keys(now), ...Object.keys(before)])];
  return names.flatMap((name, n): Mark[] => {
    const [old, is] = [before[name], now[name]].map((value) => (value === undefined ? "" : inJson(value)));
    const onlyOld = is === "";
    const label = `${n > 0 ? "\n" : ""}${name}: `;
    return [{ kind: onlyOld ? "removed" : "same", text: label }, ...marksOfTexts(old ?? "", is ?? "")];
  });
}

function inJson(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
