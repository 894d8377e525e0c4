import { describeOneAnswer } from "./one-answer.js";

describeOneAnswer(Array.from({ length: 12 }, (_, n) => n + 3));
