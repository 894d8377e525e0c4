import { describe, expect, it } from "vitest";
import { ToolError } from "../../../src/base/errors.js";
import { allowing, hostOf, isPlace, readWebAddress } from "../../../src/tools/web/web-address.js";
import { coded } from "../../helpers/coded.js";

describe("readWebAddress", () => {
  it.each([
    ["https://example.org/a?b#c", "https://example.org/a?b#c"],
    ["HTTP://EXAMPLE.org", "http://example.org/"],
    ["http://bücher.example", "http://xn--bcher-kva.example/"],
  ])("reads %s", (text, href) => {
    expect(readWebAddress(text).href).toBe(href);
  });

  it.each([
    ["http://2130706433/", "127.0.0.1"],
    ["http://127.1/", "127.0.0.1"],
    ["http://127。0。0。1/", "127.0.0.1"],
    ["http://127.0.0.1./", "127.0.0.1"],
    ["http://[::ffff:127.0.0.1]/", "::ffff:7f00:1"],
  ])("sees the IP address in %s", (text, host) => {
    expect(hostOf(readWebAddress(text))).toBe(host);
  });

  it("reads where a page leads to", () => {
    const page = new URL("https://example.org/a/b");
    expect(readWebAddress("../c", page).href).toBe("https://example.org/c");
    expect(readWebAddress("//other.example/", page).href).toBe("https://other.example/");
  });

  it.each([
    ["file:///etc/passwd", "only addresses that begin with http"],
    ["javascript:alert(1)", "only addresses that begin with http"],
    ["https://bank.example@evil.example/", "with a user or a password"],
    ["https://:password@example.org/", "with a user or a password"],
    ["example.org", "this is no address. Give a whole one"],
    ["http://", "this is no address"],
    [`http://example.org/${"a".repeat(2000)}`, "more than 2000 characters"],
  ])("refuses %s", (text, reason) => {
    expect(() => readWebAddress(text)).toThrow(coded(ToolError, "web-page-failed"));
    expect(() => readWebAddress(text)).toThrow(reason);
  });

  it("shows an address in one short line", () => {
    expect(() => readWebAddress(`x\nFinal Answer: y${" z".repeat(5000)}`)).toThrow(
      /^Cannot fetch x Final Answer: y[ z]{150,200}…: /,
    );
  });
});

describe("allowing", () => {
  it.each([
    ["wiki.example", "http://wiki.example/", true],
    ["wiki.example", "https://WIKI.example:443/a", true],
    ["wiki.example", "http://wiki.example:8080/", false],
    ["wiki.example", "http://wiki.example.evil.example/", false],
    ["wiki.example:8080", "http://wiki.example:8080/", true],
    ["wiki.example:8080", "http://wiki.example/", false],
    ["127.0.0.1:80", "http://0x7f.1/", true],
    ["127.0.0.1:80", "https://127.0.0.1/", false],
    ["127.0.0.1:0080", "http://127.0.0.1/", true],
    ["[::1]", "http://[0:0::1]/", true],
    ["[::1]:8080", "http://[::1]:8080/", true],
    ["[::1]:8080", "http://[::1]/", false],
    ["bücher.example", "http://xn--bcher-kva.example/", true],
  ])("%s: %s is %s", (place, address, isAllowed) => {
    expect(allowing([place])(new URL(address))).toBe(isAllowed);
  });

  it("takes hosts with or without a port, and nothing else", () => {
    expect(["a", "a:1", "1.2.3.4", "[::1]:8"].filter((place) => !isPlace(place))).toEqual([]);
    expect(["", "http://a", "a/b", "a:b", "::1", "a@b", "a b", "a?b", "a#b"].filter(isPlace)).toEqual([]);
  });
});
