import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { attempted } from "../base/attempted.js";
import { isRecord } from "../base/is-record.js";
import { kindOfModel, unbound } from "../langgraph/chat-models.js";
import { nameOfModel } from "./models.js";
import {
  addressFields,
  headerFields,
  keyFields,
  providerWindows,
  type WindowSource,
  windowSources,
} from "./tables/windows.js";

/** The time that a server has to tell its window. */
const WINDOW_MS = 2_000;

const windows = new WeakMap<BaseChatModel, Promise<number | undefined>>();

/**
 * Returns the tokens of the window that is in force for a model: that which the requests of `ChatOllama` ask for, or the usual
 * one of a provider at its own address, or what another server tells when it is asked, once. A server that has not yet loaded
 * the model is asked again the next time.
 *
 * @returns Undefined if nobody knows it.
 */
export function windowOf(model: BaseChatModel): Promise<number | undefined> {
  const window = windows.get(model) ?? findWindow(model);
  windows.set(model, window);
  return window;
}

async function findWindow(model: BaseChatModel): Promise<number | undefined> {
  const inside = unbound(model);
  const numCtx = tokensIn(inside, "numCtx");
  if (numCtx !== undefined) return numCtx;
  const [address] = addressFields.flatMap((field) => textIn(inside, field));
  const host = address && attempted(() => new URL(address).host);
  const provider = providerWindows.find((row) => (address ? row.host === host : row.kind === kindOfModel(model)));
  if (provider || !address) return provider?.window;
  const [key] = keyFields.flatMap((field) => textIn(inside, field));
  const given = headerFields.map((field) => headersSchema.parse(valueIn(inside, field)));
  const headers = Object.assign({ ...(key && { authorization: `Bearer ${key}` }) }, ...given);
  const request = { headers, signal: AbortSignal.timeout(WINDOW_MS) };
  const asked = windowSources.map((source) => askFor(source, address, nameOfModel(model), request));
  const told = await Promise.all(asked.map((answer) => answer.catch(() => undefined)));
  const window = told.find((tokens) => typeof tokens === "number");
  if (window === undefined && told.includes("not-loaded")) windows.delete(model);
  return window;
}

const headersSchema = z.record(z.string(), z.string()).catch({});

async function askFor(
  { path, posts, list, loaded, fields }: WindowSource,
  address: string,
  name: string,
  request: RequestInit,
): Promise<number | "not-loaded" | undefined> {
  const [, root = "", version = "/v1"] = /^(.*?)(\/v\d[^/]*)?\/?$/.exec(address) ?? [];
  const post = posts && { method: "POST", body: JSON.stringify({ model: name }) };
  const response = await fetch(`${root}${path.replace("/v1", version)}`, { ...request, ...post });
  const body: unknown = await response.json();
  const model = list === undefined ? body : z.array(z.looseObject({})).parse(valueIn(body, list)).find(hasName(name));
  if (model === undefined) return loaded && "not-loaded";
  return fields.map((field) => tokensIn(model, field)).find((tokens) => tokens !== undefined);
}

/** Ollama lists a model without a tag as the latest. */
function hasName(name: string) {
  return ({ id, model = id }: Record<string, unknown>) => model === name || model === `${name}:latest`;
}

function valueIn(owner: unknown, path: string): unknown {
  return path.split(".").reduce((within, field) => (isRecord(within) ? within[field] : undefined), owner);
}

function textIn(owner: unknown, path: string): string[] {
  const value = valueIn(owner, path);
  return typeof value === "string" && value !== "" ? [value] : [];
}

function tokensIn(owner: unknown, path: string): number | undefined {
  const value = valueIn(owner, path);
  const tokens = typeof value === "string" ? Number(/^num_ctx\s+"?(\d+)/m.exec(value)?.[1]) : value;
  return z.number().positive().safeParse(tokens).data;
}
