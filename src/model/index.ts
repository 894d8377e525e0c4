export type { ModelAbilities, Timeouts } from "../core/parts/models.js";
export type { DecodingServer } from "./constrained-decoding.js";
export { loadEmbeddings } from "./embeddings.js";
export { type LoadModelOptions, loadModel, modelAbilities } from "./models.js";
export { type OfflineModel, offlineModel } from "./offline/offline-model.js";
export { type Cost, costOf, type ModelPrice, modelPrices } from "./prices.js";
