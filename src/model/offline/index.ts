export { OfflineModel, offlineModel } from "./offline-model.js";
