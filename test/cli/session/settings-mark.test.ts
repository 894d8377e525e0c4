import { randomBytes } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SettingTexts } from "../../../src/cli/program/settings.js";
import { isMarked, marked, personsKey } from "../../../src/cli/session/settings-mark.js";
import { workingFolder } from "../run-cli.js";

const settings = { model: "llama3.2", system: "Be brief." };
const person = () => randomBytes(32);

describe("the mark of settings", () => {
  test("is known by its person alone, in any order of the settings, and not for other settings", () => {
    const [ann, bob] = [person(), person()];
    const kept = marked(settings, ann, {}, {});
    expect(kept).toMatchObject(settings);
    expect(isMarked({ system: "Be brief.", model: "llama3.2" }, ann, kept)).toBe(true);
    expect(isMarked(settings, bob, kept)).toBe(false);
    expect(isMarked({ ...settings, model: "evil" }, ann, kept)).toBe(false);
    expect(isMarked(settings, ann, settings)).toBe(false);
    expect(isMarked(settings, ann, { ...settings, marks: "" })).toBe(false);
  });

  test("stays beside those of others while the settings are the same, and goes when they change", () => {
    const [ann, bob] = [person(), person()];
    const byAnn = marked(settings, ann, {}, {});
    const byBoth = marked(settings, bob, settings, byAnn);
    expect([ann, bob].map((key) => isMarked(settings, key, byBoth))).toEqual([true, true]);
    expect(marked(settings, ann, settings, byBoth)).toEqual(byBoth);
    const other = { ...settings, model: "gpt-4o" };
    const changed = marked(other, bob, settings, byBoth);
    expect([ann, bob].map((key) => isMarked(other, key, changed))).toEqual([false, true]);
  });

  test("is one of the newest 16", () => {
    const people = Array.from({ length: 20 }, person);
    const kept = people.reduce<SettingTexts>((before, key) => marked(settings, key, settings, before), settings);
    expect(people.map((key) => isMarked(settings, key, kept)).indexOf(true)).toBe(4);
  });
});

describe("the key of a person", () => {
  test("is made once, for their eyes only, and nothing else is left beside it", async () => {
    await using home = await workingFolder();
    const key = personsKey({ HOME: home.path });
    expect(key).toHaveLength(32);
    expect(personsKey({ HOME: home.path })).toEqual(key);
    expect(personsKey({ XDG_STATE_HOME: join(home.path, ".local", "state") })).toEqual(key);
    const folder = join(home.path, ".local", "state", "glassloop");
    expect(await readdir(folder)).toEqual(["settings-key"]);
    const modes = [await stat(folder), await stat(join(folder, "settings-key"))].map(({ mode }) => mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
  });

  test.each([[{}], [{ HOME: "" }], [{ XDG_STATE_HOME: "state" }]])("has no place in %j", (env) => {
    expect(personsKey(env)).toBeUndefined();
  });

  test("has no place where nothing can be written", async () => {
    await using home = await workingFolder();
    await writeFile(join(home.path, "file"), "");
    expect(personsKey({ XDG_STATE_HOME: join(home.path, "file") })).toBeUndefined();
    expect(await readFile(join(home.path, "file"), "utf8")).toBe("");
  });

  test.each(["", "short"])("is refused if its file has only %j", async (text) => {
    await using home = await workingFolder();
    const env = { XDG_STATE_HOME: home.path };
    personsKey(env);
    await writeFile(join(home.path, "glassloop", "settings-key"), text);
    expect(() => personsKey(env)).toThrow(/is damaged\. Delete this file\./);
  });
});
