export { buffer } from "./buffer.js";
export type { Memory, MemoryContext } from "./memory.js";
export { summary } from "./summary.js";
export { tokenBudget } from "./token-budget.js";
export { window } from "./window.js";
