export type { FileForm, FileKind, FilesTaken } from "../content/file-block.js";
export type { ModelAbilities, Timeouts } from "../core/parts/models.js";
export type { DecodingServer } from "./constrained-decoding.js";
export { loadEmbeddings } from "./embeddings.js";
export type { LoadModelOptions } from "./model-class.js";
export { loadModel } from "./models.js";
export { type Cost, costOf, type ModelPrice } from "./prices.js";
