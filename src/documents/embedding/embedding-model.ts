import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { z } from "zod";
import { endWithStop } from "../../base/end-with-stop.js";
import { DocumentSearchError } from "../../base/errors.js";
import { messageOf } from "../../base/message-of.js";
import { keepSecretsIn } from "../../base/secrets/known-secrets.js";
import { withoutSecretForms } from "../../base/secrets/without-secrets.js";
import type { QueryVector } from "../index/passage-search.js";
import type { PendingPassage } from "../index/vector-table.js";

const nameSchema = z.object({ model: z.string().optional(), modelName: z.string().optional() });
const vectorSchema = z.array(z.number()).min(1);

/** An embedding model of LangChain. Its vectors are the bytes of 32-bit numbers, as an index takes them. */
export class EmbeddingModel {
  readonly #name: string;
  #length: number | undefined;

  constructor(private readonly embeddings: EmbeddingsInterface) {
    const { model, modelName } = nameSchema.catch({}).parse(embeddings);
    keepSecretsIn(embeddings);
    this.#name = model ?? modelName ?? embeddings.constructor.name;
  }

  /** Returns the name of the model and the length of its vectors. Only vectors of one identity can be compared. */
  async identity(): Promise<string> {
    if (this.#length === undefined) await this.embedQuery("length");
    return `${this.#name} (${this.#length})`;
  }

  /** @throws {DocumentSearchError} if the model fails, or what it returns are not vectors. */
  async embedPassages(texts: readonly string[]): Promise<readonly Uint8Array[]> {
    const vectors = z
      .array(z.unknown())
      .catch([])
      .parse(await this.#ask(() => this.embeddings.embedDocuments([...texts])));
    if (vectors.length !== texts.length) {
      throw this.#failure(`it returned ${vectors.length} vectors for ${texts.length} texts`);
    }
    return vectors.map((vector) => this.#bytesOf(vector));
  }

  /** @throws {DocumentSearchError} if the model fails, or what it returns is not a vector. */
  async embedQuery(text: string): Promise<QueryVector> {
    const vector = this.#bytesOf(await this.#ask(() => this.embeddings.embedQuery(text)));
    return { model: await this.identity(), vector };
  }

  async #ask(call: () => Promise<unknown>): Promise<unknown> {
    try {
      return await call();
    } catch (error) {
      throw this.#failure(messageOf(error), error);
    }
  }

  /** Zeros at the end make the length a multiple of 8. They change no angle. */
  #bytesOf(value: unknown): Uint8Array {
    const vector = vectorSchema.safeParse(value).data;
    if (vector?.some((number) => number !== 0) !== true)
      throw this.#failure("it returned something that is not a vector");
    this.#length ??= vector.length;
    if (vector.length !== this.#length) {
      throw this.#failure(`it returned a vector of ${vector.length} numbers after others of ${this.#length}`);
    }
    const padded = new Float32Array(Math.ceil(vector.length / 8) * 8);
    padded.set(vector);
    return new Uint8Array(padded.buffer);
  }

  #failure(reason: string, cause?: unknown): DocumentSearchError {
    return new DocumentSearchError(
      this.#name,
      `the embedding model ${this.#name} failed: ${endWithStop(withoutSecretForms(reason))}`,
      { cause },
    );
  }
}

/** Writes a passage below the title of its document and its headings, as the text to embed. */
export function aboutText({ title, headings, text }: Omit<PendingPassage, "id">): string {
  return `${[title, ...headings.filter((heading) => heading !== title)].join(" > ")}\n\n${text}`;
}
