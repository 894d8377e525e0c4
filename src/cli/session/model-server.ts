import type { Io } from "../io.js";
import { defaultOpenAIModel } from "../program/addresses.js";
import { settings } from "../program/settings.js";
import type { ChosenSettings } from "./chosen-settings.js";
import { type Server, serverOf } from "./server.js";

/** The models of a session, and their server. */
export interface ModelServer extends Server {
  /** The model, or several with commas. */
  readonly model: string;
}

/** Finds the models of a session and their server. */
export function modelServer(chosen: ChosenSettings, io: Io): ModelServer {
  const { OPENAI_API_KEY: key, OPENAI_BASE_URL: address } = io.env;
  const model = chosen.text(settings.model) ?? (key ? defaultOpenAIModel : "offline");
  const servesAll = model.split(",").every((name) => name.trim().startsWith("openai:"));
  const server = serverOf(settings.baseUrl, chosen, (servesAll && address) || undefined, io);
  const own = { ...(model !== "offline" && { [settings.model.name]: model }), ...server.own };
  return { ...server, model, own };
}
