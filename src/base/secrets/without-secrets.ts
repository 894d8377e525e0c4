import { inspect } from "node:util";
import { mapTexts } from "../map-texts.js";
import { secretFinder } from "./known-secrets.js";

const mark = "[secret]";

/** The forms of keys and passwords that nobody told. */
const forms =
  /\b(?:sk|pk|rk|gsk|xai|tvly|hf|r8|lsv2_pt|lsv2_sk)[-_][\w-]{12,}|\bgh[opsur]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[abprs]-[\w-]{10,}|\bAIza[\w-]{30,}|\b(?:AKIA|ASIA)[A-Z\d]{16}\b|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}|(?<=\b(?:Bearer|Basic)\s)[\w+/=.~-]{8,}|(?<=:\/\/[^\s:/@]{0,100}:)[^\s/@]{1,200}(?=@)|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\w+/=\s]{0,5000}-----END [A-Z ]{0,20}PRIVATE KEY-----/g;

/** Returns a text without the known secrets. */
export function withoutSecrets(text: string): string {
  return secretFinder()?.replace(text, mark).replaced ?? text;
}

/** Returns a text of a server or a library without known secrets, and without what looks like one. */
export function withoutSecretForms(text: string): string {
  return withoutSecrets(text).replace(forms, mark);
}

/** Returns data without the known secrets in its texts. The same data is returned if it has none. */
export function dataWithoutSecrets<Data>(data: Data): Data {
  return secretFinder() === undefined ? data : mapTexts(data, withoutSecrets);
}

/**
 * Returns an error that shows no secret, not even in its cause or its fields. An error without secrets is returned as it is.
 * Of one with secrets, name, message and stack are kept without them, and the status as it is.
 */
export function errorWithoutSecrets(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === "string" ? withoutSecretForms(error) : error;
  const shown = inspect(error, { depth: 6, maxStringLength: null });
  if (shown === withoutSecretForms(shown)) return error;
  const plain = new Error(withoutSecretForms(error.message));
  const status = "status" in error ? error.status : undefined;
  return Object.assign(plain, {
    name: error.name,
    stack: withoutSecretForms(error.stack ?? ""),
    ...(typeof status === "number" && { status }),
  });
}

/** Takes the known secrets out of a text that comes in pieces. A piece may end in the middle of one. */
export class SecretFilter {
  #held = "";

  /** Returns what is certain to have no secret. An end that may begin one is held back. */
  push(piece: string): string {
    const text = this.#held + piece;
    const finder = secretFinder();
    const { replaced, rest } = finder?.replace(text, mark, finder.unfinished(text)) ?? {
      replaced: text,
      rest: text.length,
    };
    this.#held = text.slice(rest);
    return replaced;
  }

  /** Returns what was held back. */
  end(): string {
    const held = withoutSecrets(this.#held);
    this.#held = "";
    return held;
  }
}
