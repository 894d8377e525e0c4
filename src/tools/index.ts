export { calculator } from "./calculator.js";
