import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { keepSecret, keepSecretsIn, keepSecretsOfAddress } from "../../../src/base/secrets/known-secrets.js";
import {
  dataWithoutSecrets,
  errorWithoutSecrets,
  SecretFilter,
  withoutSecretForms,
  withoutSecrets,
} from "../../../src/base/secrets/without-secrets.js";
import { growth } from "../../helpers/processor-time.js";
import { randomFrom } from "../../helpers/random.js";

describe("a known secret", () => {
  it.each(['Abcd+efgh/ijkl"mn=opq', "0f1e2d3c4b5a69788796a5b4c3d2e1f0", "pässwörd \\ 12/3", "half \ud800 a sign"])(
    "is found in the forms in which programs write it: %s",
    (key) => {
      keepSecret(key);
      const json = JSON.stringify(key).slice(1, -1);
      const url = encodeURIComponent(Buffer.from(key).toString());
      const hex = Buffer.from(key).toString("hex");
      const forms = [
        ...[key, json, JSON.stringify(json).slice(1, -1), json.replaceAll("/", "\\/"), hex, hex.toUpperCase()],
        ...[
          url,
          url.replaceAll(/%../g, (code) => code.toLowerCase()),
          new URLSearchParams({ k: key }).toString().slice(2),
        ],
        ...[Buffer.from(key).toString("base64"), Buffer.from(key).toString("base64url")],
      ];
      for (const form of forms) expect(withoutSecrets(`key=${form};`)).toBe("key=[secret];");
    },
  );

  it("is found in base64 behind a user's name of any length, and before other words", () => {
    const key = "Zy9+a/b=c-d?e>f~g";
    keepSecret(key);
    for (const user of ["", "a", "an", "anna:"]) {
      for (const rest of ["", "!", " and more"]) {
        for (const encoding of ["base64", "base64url"] as const) {
          const shown = withoutSecrets(`Basic ${Buffer.from(user + key + rest).toString(encoding)} `);
          const left = Buffer.from(shown.replace("[secret]", " "), "base64").toString("latin1");
          expect([shown.includes("[secret]"), /Zy9|a\/b|c-d|f~g/.test(left)]).toEqual([true, false]);
          if (rest === "") expect(shown).toMatch(/\[secret\] $/);
        }
      }
    }
  });

  it("is removed as a whole if another secret is its beginning", () => {
    keepSecret("prefix-of-a-key");
    keepSecret("prefix-of-a-key-and-the-rest");
    const text = "prefix-of-a-key-and-the-rest, prefix-of-a-key-and-the-res";
    expect(withoutSecrets(text)).toBe("[secret], [secret]-and-the-res");
    const filter = new SecretFilter();
    const pieces = [...text].map((sign) => filter.push(sign));
    expect(pieces.join("") + filter.end()).toBe("[secret], [secret]-and-the-res");
  });

  it("has at least 8 characters, as shorter ones are ordinary words", () => {
    keepSecret("secret7");
    expect(withoutSecrets("my secret7")).toBe("my secret7");
  });

  it("is found in the fields of models and headers, and in addresses", () => {
    keepSecretsIn({
      apiKey: "field-key-1",
      clientConfig: { defaultHeaders: { Authorization: "Bearer header-key-2" } },
    });
    keepSecretsOfAddress("postgres://ann:pass%40word9@127.0.0.1/db");
    keepSecretsOfAddress("https://example.org/search?api_key=query-key-3&q=harmless-words");
    const text = "field-key-1 header-key-2 pass%40word9 pass@word9 query-key-3 harmless-words";
    expect(withoutSecrets(text)).toBe("[secret] [secret] [secret] [secret] [secret] harmless-words");
  });

  it("is forgotten when 500 others came after it", () => {
    keepSecret("the-oldest-key");
    for (let n = 0; n < 500; n += 1) keepSecret(`tenant-key-${n}`);
    expect(withoutSecrets("the-oldest-key tenant-key-499")).toBe("the-oldest-key [secret]");
  });

  it("is removed from data, and data without a secret stays the same object", () => {
    keepSecret("data-key-77");
    const data = { list: ["data-key-77", 1], deep: { text: "fine", none: null } };
    expect(dataWithoutSecrets(data)).toEqual({ list: ["[secret]", 1], deep: { text: "fine", none: null } });
    expect(dataWithoutSecrets(data).deep).toBe(data.deep);
    const date = new Date();
    expect(dataWithoutSecrets({ date }).date).toBe(date);
  });

  it("is removed from an error, its causes and its fields", () => {
    keepSecret("error-key-88");
    const cause = Object.assign(new Error("no"), { headers: new Headers({ "x-echo": "error-key-88" }), status: 400 });
    const error = errorWithoutSecrets(Object.assign(new RangeError("told error-key-88"), { cause, status: 400 }));
    expect(error).toMatchObject({ name: "RangeError", message: "told [secret]", status: 400 });
    expect(inspect(error, { depth: 9 })).not.toContain("error-key-88");
    const harmless = new Error("fine");
    expect(errorWithoutSecrets(harmless)).toBe(harmless);
    expect(errorWithoutSecrets("thrown error-key-88")).toBe("thrown [secret]");
    expect(errorWithoutSecrets(7)).toBe(7);
  });

  it("is removed from a stream wherever its pieces are cut, and nothing else is lost", () => {
    keepSecret("stream-key-99-end");
    const random = randomFrom(7);
    const encoded = Buffer.from("ann:stream-key-99-end").toString("base64url");
    const text = `${encoded} so stream-key-99-end and strea and stream-key-99-en and stream-key-99-endstream-key-99-end, str`;
    for (let n = 0; n < 20; n += 1) {
      const filter = new SecretFilter();
      let out = "";
      for (let at = 0; at < text.length; ) {
        const size = 1 + Math.floor(random() * 6);
        out += filter.push(text.slice(at, at + size));
        at += size;
        expect([out.includes("stream-key-99-end"), out.includes(encoded)]).toEqual([false, false]);
      }
      expect(out + filter.end()).toBe(withoutSecrets(text));
    }
  });
});

describe("a long text", () => {
  const keys = Array.from({ length: 60 }, (_, n) => `sk-proj-${String(n).repeat(20)}`);

  it.each(["words of a text, ", "sk-proj-", `${keys[0]?.slice(0, -1)}~`, Buffer.from("sk-proj-").toString("base64")])(
    "is searched for dozens of keys in linear time: %s",
    async (piece) => {
      for (const key of keys) keepSecret(key);
      const textOf = (length: number) => piece.repeat(length / piece.length);
      expect(withoutSecrets(`${textOf(1_000)} ${keys[7]}`)).toBe(`${textOf(1_000)} [secret]`);
      expect(await growth((length) => withoutSecrets(textOf(length)), 10_000)).toBeLessThan(1.5);
    },
  );
});

describe("a text of a server", () => {
  it.each([
    ["key sk-abcdefghijklmnop", "key [secret]"],
    ["Authorization: Bearer abc.def-1234", "Authorization: Bearer [secret]"],
    ["at postgres://ann:short@db/x", "at postgres://ann:[secret]@db/x"],
    ["ghp_abcdefghijklmnopqrstu and AKIAABCDEFGHIJKLMNOP", "[secret] and [secret]"],
    ["eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "[secret]"],
    ["-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----", "[secret]"],
  ])("has no text in the form of a key: %s", (text, shown) => {
    expect(withoutSecretForms(text)).toBe(shown);
  });

  it("keeps all other words", () => {
    const text = "The model gpt-4o at http://127.0.0.1:11434/v1 is busy (sk- is how keys begin). Basic ideas: a@b.org";
    expect(withoutSecretForms(text)).toBe(text);
  });

  it.each(["sk-", "://a:", "eyJ", "-----BEGIN PRIVATE KEY-----", "Bearer "])(
    "is read in linear time: %s",
    async (piece) => {
      const read = (length: number) => withoutSecretForms(`${piece.repeat(length / piece.length)} words`);
      expect(await growth(read, 10_000)).toBeLessThan(1.5);
    },
  );
});
