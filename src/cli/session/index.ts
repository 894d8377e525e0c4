export { beginNotices, tellIfStopped, threadCommand } from "./notices.js";
export { readQuestion } from "./read-question.js";
export { runTurn } from "./run-turn.js";
export { openKeptSession, openSession } from "./session.js";
export { questionFor } from "./waiting.js";
