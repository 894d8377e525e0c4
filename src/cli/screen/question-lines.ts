import type { PersonAsked } from "../../core/run/events.js";
import type { ApprovalRequest } from "../../core/state/approval.js";
import type { Colours } from "./colours.js";
import { labelled } from "./screen-text.js";

/** Writes the lines for a question to a person. Nothing is shortened: the person decides about all of it. */
export function questionLines(asked: PersonAsked, colours: Colours): string {
  if (asked.type === "interrupt") return labelled(colours.yellow("Waiting:"), visible(toText(asked.value)));
  const complaints = asked.complaints.map((complaint) => labelled(colours.red("Not taken:"), complaint));
  return [...complaints, ...asked.requests.map((request) => requestLines(request, colours))].join("");
}

function requestLines({ id, tool, input, why, allowed, complaint }: ApprovalRequest, colours: Colours): string {
  return [
    labelled(colours.yellow("Waiting:"), callText(tool, input)),
    complaint === undefined ? "" : labelled(`  ${colours.red("Not taken:")}`, complaint),
    labelled(`  ${colours.dim("Why:")}`, why),
    labelled(`  ${colours.dim("Possible:")}`, allowed.join(", ")),
    labelled(`  ${colours.dim("Id:")}`, id),
  ].join("");
}

/** Writes a call in one line. */
export function callText(tool: string, input: Readonly<Record<string, unknown>>): string {
  return `${tool} ${visible(JSON.stringify(input))}`;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "a tool asks for an answer");
}

/** Shows characters that have no shape, such as those that turn the direction of a text. They could hide a part of it. */
function visible(text: string): string {
  return text.replace(/\p{Cf}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
