import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../../base/make-folder.js";
import type { Io } from "../io.js";
import { UsageError } from "../program/exit-codes.js";
import type { SettingTexts } from "../program/settings.js";
import { statePath } from "../program/state-path.js";

const keyBytes = 32;

/**
 * Returns the key of this person, which only they can read. It is made at the first use.
 *
 * @returns undefined if there is no place for it.
 * @throws UsageError if its file is damaged.
 */
export function personsKey(env: Io["env"]): Buffer | undefined {
  const path = statePath("settings-key", env);
  if (path === undefined) return undefined;
  const key = readOrMake(path);
  if (key === undefined || key.length === keyBytes) return key;
  throw new UsageError(`The key in ${path} is damaged. Delete this file. You are then asked once about each thread.`);
}

function readOrMake(path: string): Buffer | undefined {
  try {
    if (!existsSync(path)) makeKey(path);
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function makeKey(path: string): void {
  makeFolder(dirname(path));
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, randomBytes(keyBytes), { mode: 0o600, flag: "wx" });
    // A link is there with the whole key, or not at all.
    linkSync(draft, path);
  } catch (error) {
    // Another process may have been quicker.
    if (!existsSync(path)) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The name of the marks, among the texts that a thread keeps. */
const marksName = "marks";
const mostMarks = 16;

/**
 * Adds the mark of a person to settings. Nobody else can make it. The marks of other people stay while the settings stay the
 * same.
 *
 * @param before The settings that the thread had, and `kept` with their marks.
 */
export function marked(settings: SettingTexts, key: Buffer, before: SettingTexts, kept: SettingTexts): SettingTexts {
  const others = contentOf(before) === contentOf(settings) ? marksIn(kept) : [];
  const marks = new Set([...others, markOf(settings, key)]);
  return { ...settings, [marksName]: [...marks].slice(-mostMarks).join(" ") };
}

/** Tells whether what a thread keeps has a person's mark for these settings. */
export function isMarked(settings: SettingTexts, key: Buffer, kept: SettingTexts): boolean {
  return marksIn(kept).includes(markOf(settings, key));
}

function marksIn({ [marksName]: marks = "" }: SettingTexts): readonly string[] {
  return marks.split(" ").filter((mark) => mark !== "");
}

function markOf(settings: SettingTexts, key: Buffer): string {
  return createHmac("sha256", key).update(contentOf(settings)).digest("base64url");
}

function contentOf(settings: SettingTexts): string {
  return JSON.stringify(Object.entries(settings).toSorted());
}
