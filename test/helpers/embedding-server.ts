import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { OpenAIEmbeddings } from "@langchain/openai";
import { z } from "zod";
import { startLocalServer } from "./local-server.js";

/** Words that the server takes for the same. */
const meanings: Readonly<Record<string, string>> = {
  automobile: "car",
  automobiles: "car",
  cars: "car",
  feline: "cat",
  cats: "cat",
};

const requestSchema = z.object({
  model: z.string(),
  input: z.union([z.string().transform((one) => [one]), z.array(z.string())]),
  encoding_format: z.string().optional(),
});

export interface EmbeddingServer extends AsyncDisposable {
  readonly url: string;
  /** The texts of each request, in order. */
  readonly requests: string[][];
  /** The key of each request, in order. */
  readonly keys: (string | undefined)[];
  /** What it does with the next requests. */
  behave(behaviour: Behaviour): void;
  /** Returns a client of LangChain for it, without new tries. */
  client(model?: string): OpenAIEmbeddings;
}

interface Behaviour {
  readonly status?: number;
  readonly delayMs?: number;
  readonly length?: number;
  readonly zeros?: boolean;
}

/**
 * Starts a real HTTP server on 127.0.0.1 that speaks POST /v1/embeddings. The vector of a text is the sum of the vectors of
 * its words, and that of a word is derived from its letters. So texts with the same words are near each other.
 */
export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const requests: string[][] = [];
  const keys: (string | undefined)[] = [];
  let behaviour: Behaviour = {};
  const server = await startLocalServer(async (request, response) => {
    const { model, input, encoding_format } = requestSchema.parse(JSON.parse(await text(request)));
    requests.push(input);
    keys.push(request.headers.authorization);
    const { status = 200, delayMs = 0, length = 64, zeros = false } = behaviour;
    await wait(delayMs);
    if (status !== 200) return send(response, status, { error: { message: "the server is down for a test." } });
    const data = input.map((one, index) => {
      const vector = zeros ? new Float32Array(length) : vectorOf(one, length);
      const embedding = encoding_format === "base64" ? Buffer.from(vector.buffer).toString("base64") : [...vector];
      return { object: "embedding", index, embedding };
    });
    send(response, 200, { object: "list", model, data, usage: { prompt_tokens: 1, total_tokens: 1 } });
  });
  const url = `${server.origin}/v1`;
  return {
    ...server,
    url,
    requests,
    keys,
    behave: (next) => {
      behaviour = next;
    },
    client: (model = "words-64") =>
      new OpenAIEmbeddings({
        model,
        apiKey: "none",
        maxRetries: 0,
        stripNewLines: false,
        configuration: { baseURL: url },
      }),
  };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function vectorOf(text: string, length: number): Float32Array {
  const vector = new Float32Array(length);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const bytes = createHash("shake256", { outputLength: length })
      .update(meanings[word] ?? word)
      .digest();
    for (const [index, byte] of bytes.entries()) vector[index] = (vector[index] ?? 0) + byte - 127.5;
  }
  return vector;
}
