import type { ProviderForm } from "../../provider-forms/provider-form.js";

/** Matches every text that is not empty. */
const any = "[^]";

/** What OpenAI takes. Servers with its API, and packages that nobody tried, count as equally strict. */
export const openaiForm: ProviderForm = {
  ids: "^[^]{1,40}$",
  names: "^[\\w-]{1,64}$",
  fields: any,
  blocks: true,
  schemas: ["no-type", "choice-at-top", "no-properties", "no-items", "item-lists"],
};

const gemini: ProviderForm = {
  ids: any,
  names: "^[a-zA-Z_][\\w.:-]{0,63}$",
  fields: any,
  blocks: false,
  schemas: ["no-type", "choice-at-top"],
};

const mistral: ProviderForm = {
  ids: "^[a-zA-Z0-9]{9}$",
  names: "^[\\w-]{1,64}$",
  fields: any,
  blocks: true,
  schemas: [],
};

/** What other providers take, by the class of their package, as their documentation and their errors tell. */
export const formsOfPackages: Readonly<Record<string, ProviderForm>> = {
  ChatAnthropic: {
    ids: "^[\\w-]+$",
    names: "^[\\w-]{1,128}$",
    fields: "^[\\w.-]{1,64}$",
    blocks: true,
    schemas: ["no-type", "choice-at-top", "item-lists"],
  },
  ChatBedrockConverse: {
    ids: "^[\\w-]{1,64}$",
    names: "^[\\w-]{1,64}$",
    fields: any,
    blocks: true,
    schemas: ["no-type", "choice-at-top", "item-lists"],
  },
  ChatGoogle: gemini,
  ChatGoogleGenerativeAI: gemini,
  ChatGroq: { ...openaiForm, blocks: false },
  ChatMistralAI: mistral,
  ChatOllama: { ids: any, names: any, fields: any, blocks: true, schemas: [] },
  ChatVertexAI: gemini,
};

/** What servers with OpenAI's API take that is not what OpenAI takes, by their host. */
export const formsOfServers: Readonly<Record<string, ProviderForm>> = { "api.mistral.ai": mistral };

/** The packages whose providers take a list of text blocks as a result. All others get one text. */
export const takersOfBlocks: ReadonlySet<string> = new Set([
  "ChatAnthropic",
  "ChatBedrockConverse",
  "ChatGoogle",
  "ChatGoogleGenerativeAI",
  "ChatMistralAI",
  "ChatVertexAI",
]);
