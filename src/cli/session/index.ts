export { beginNotices, tellWithheld, threadCommand } from "./notices.js";
export { onKeptThread, onThread } from "./on-thread.js";
export { readQuestion } from "./read-question.js";
export { runOnlyTurn } from "./run-turn.js";
export { openSession } from "./session.js";
export { checkTools, questionFor } from "./waiting.js";
