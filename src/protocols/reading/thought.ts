const actionLine = /^[\s*#>`\-\d.)]*(?:action|follow[ -]?up)\b/i;
const blobLine = /^\s*(?:```|\{)/;
const thoughtLabel = /^[\s*#>`]*thought(?:\s*\d+)?\**\s*[:：]\**\s*/i;

/** The reasoning in the text that led to an action: what stands before the action itself, without its label. */
export function thoughtOf(log: string): string {
  const lines = log.split("\n");
  const end = lines.findIndex((line) => actionLine.test(line) || blobLine.test(line));
  const thought = (end < 0 ? lines : lines.slice(0, end)).join("\n");
  return thought.replace(thoughtLabel, "").trim();
}
