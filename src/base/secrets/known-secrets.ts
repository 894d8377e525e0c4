import { attempted } from "../attempted.js";
import { isRecord } from "../is-record.js";
import { WordFinder } from "./word-finder.js";
import { writtenForms } from "./written-forms.js";

/** The fewest characters of a secret. Shorter ones stand in ordinary words. */
const fewest = 8;
/** The most secrets that are known at once. A server with many tenants forgets the oldest ones. */
const most = 500;

const known = new Set<string>();
/** Finds the known secrets in all forms in which they are written. It is made when it is needed. */
let finder: WordFinder | undefined;

/** Registers a key or a password, so that it is sent to its service only. */
export function keepSecret(value: unknown): void {
  if (typeof value !== "string" || value.trim().length < fewest) return;
  const secret = value.trim();
  if (known.delete(secret)) {
    known.add(secret);
    return;
  }
  known.add(secret);
  for (const oldest of known) {
    if (known.size <= most) break;
    known.delete(oldest);
  }
  finder = undefined;
}

/** Returns what finds all known secrets. Returns undefined if there is none. */
export function secretFinder(): WordFinder | undefined {
  if (known.size > 0) finder ??= new WordFinder([...known].flatMap(writtenForms));
  return finder;
}

const secretName = /key|token|secret|password|passwd|authorization|cookie|credential/i;

/** Takes note of the keys in an object, such as a model or headers. Their names say what they are. */
export function keepSecretsIn(value: unknown, depth = 4): void {
  if (!isRecord(value) || depth === 0) return;
  for (const [name, field] of Object.entries(value)) {
    if (typeof field === "string" && secretName.test(name))
      keepSecret(field.replace(/^(?:Bearer|Basic|Token)\s+/i, ""));
    else keepSecretsIn(field, depth - 1);
  }
}

/** Takes note of the passwords and keys in an address, such as `postgres://USER:PASSWORD@HOST/DATABASE`. */
export function keepSecretsOfAddress(address: string): void {
  const [, password = ""] = /:\/\/[^:/@]*:(.*)@/.exec(address) ?? [];
  const fields = [...address.matchAll(/[?&]([^=&]+)=([^&#]*)/g)].filter(([, name = ""]) => secretName.test(name));
  for (const secret of [password, ...fields.map(([, , value = ""]) => value)]) {
    keepSecret(secret);
    keepSecret(attempted(() => decodeURIComponent(secret)));
  }
}
