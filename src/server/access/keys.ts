import { createHash, timingSafeEqual } from "node:crypto";

/** Tells whether a request has one of the keys: as `Authorization: Bearer KEY`, or as `X-Api-Key: KEY`. */
export function hasKey(keys: readonly string[], headers: Headers): boolean {
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.get("Authorization") ?? "")?.[1];
  const given = [bearer, headers.get("X-Api-Key")].filter((key) => typeof key === "string");
  return given.some((one) => keys.some((key) => isSame(key, one)));
}

/** Compares two keys in a time that does not depend on where they differ. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}

function digestOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
