import { describeOneAnswer } from "./one-answer.js";

describeOneAnswer([0, 1, 2]);
