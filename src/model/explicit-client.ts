import { z } from "zod";

type Environment = Readonly<Record<string, string | undefined>>;

const logLevelSchema = z.enum(["off", "error", "warn", "info", "debug"]).catch("warn");

/**
 * Returns settings with which OpenAI's client takes nothing from the environment of the process. By itself it reads an
 * organization, a project, headers and more there, and sends them to any server.
 *
 * @param env The variables that it takes instead.
 */
export function explicitClient(apiKey: string, env: Environment) {
  const headers = { authorization: `Bearer ${apiKey}`, ...headersIn(env) };
  return {
    organization: env.OPENAI_ORGANIZATION || env.OPENAI_ORG_ID || null,
    project: env.OPENAI_PROJECT_ID || null,
    adminAPIKey: null,
    webhookSecret: null,
    logLevel: logLevelSchema.parse(env.OPENAI_LOG),
    fetch: withoutHeadersOfProcess(headers),
  };
}

/** Makes a `fetch` without the headers that the client adds. No setting of the client keeps it from adding them. */
function withoutHeadersOfProcess(given: Readonly<Record<string, string>>): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headersIn(process.env))) {
      if (headers.get(name) === value) headers.delete(name);
    }
    for (const [name, value] of Object.entries(given)) headers.set(name, value);
    return fetch(input, { ...init, headers });
  };
}

/** Reads headers as the client does: one in each line. */
function headersIn({ OPENAI_CUSTOM_HEADERS = "" }: Environment): Record<string, string> {
  const lines = OPENAI_CUSTOM_HEADERS.matchAll(/^([^:\n]*):(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name.trim().toLowerCase(), value.trim()]));
}
