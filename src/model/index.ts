export type { Timeouts } from "../core/model/timeouts.js";
export type { DecodingServer } from "./constrained-decoding.js";
export { loadEmbeddings } from "./embeddings.js";
export { type LoadModelOptions, loadModel, type ModelAbilities, modelAbilities } from "./models.js";
export { type OfflineModel, offlineModel } from "./offline/offline-model.js";
export { type Cost, costOf, type ModelPrice, modelPrices } from "./prices.js";
