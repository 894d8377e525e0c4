export type { Memory, MemoryContext } from "../core/parts/memory.js";
export { buffer } from "./buffer.js";
export type { StepsOption } from "./steps-option.js";
export { summary } from "./summary.js";
export { tokenBudget } from "./token-budget.js";
export { window } from "./window.js";
