import { isRecord } from "../../base/is-record.js";
import { readMetadata } from "../checkpoints/checkpoint-rows.js";
import { readOutcome } from "../checkpoints/journal.js";
import type { ChannelVersion } from "../values/cache.js";
import { type Sources, toChannelVersion, toSerialized, withTexts } from "../values/decode.js";
import { LongTexts } from "../values/long-texts.js";
import { textNamesIn } from "../values/marks.js";
import { isMessageJson, messageForm } from "../values/message-form.js";
import { deserialize, type Serialized } from "../values/serialize.js";
import { entriesIn, parseStoredValue, parseStoredWrites, type StoredValue, textsIn } from "../values/stored-form.js";
import type { ThreadPart } from "./thread-file.js";

type Part<Type extends ThreadPart["type"]> = Extract<ThreadPart, { type: Type }>;

/** Returns the parts of one kind. */
export function ofType<Type extends ThreadPart["type"]>(parts: readonly ThreadPart[], type: Type): Part<Type>[] {
  return parts.filter((part): part is Part<Type> => part.type === type);
}

/**
 * Checks that parts fit together, and that each value in them can be read. A file is not trusted: a circle of
 * checkpoints would keep a reader busy for ever.
 *
 * @throws Error if they do not fit.
 */
export function checkParts(parts: readonly ThreadPart[]): void {
  checkKeys(parts);
  checkParents(ofType(parts, "checkpoint"));
  const items = new Map(ofType(parts, "item").map(({ hash, as, content }) => [hash, { type: as, content }]));
  for (const item of items.values()) checkItem(withTexts(item, items));
  for (const { metadata } of ofType(parts, "checkpoint")) checkMetadata(metadata);
  for (const { outcome } of ofType(parts, "action")) readOutcome(outcome);
  const sources = { items, texts: new LongTexts() };
  const versions = readVersions(ofType(parts, "version"), sources);
  for (const { namespace, body } of ofType(parts, "write")) {
    for (const [channel, value, base] of parseStoredWrites(body)) {
      checkValue(value, sources);
      toChannelVersion(value, { ...sources, base: versions.get(keyOf(namespace, channel, base)) });
    }
  }
}

/** Checks that no part comes twice. */
function checkKeys(parts: readonly ThreadPart[]): void {
  const keys = new Set<string>();
  for (const part of parts) {
    const key = `${part.type} ${keyOfPart(part)}`;
    if (keys.has(key)) throw new Error(`This part is there twice: ${key}`);
    keys.add(key);
  }
}

function keyOfPart(part: ThreadPart): string {
  if (part.type === "item") return part.hash;
  if (part.type === "checkpoint") return keyOf(part.namespace, part.id);
  if (part.type === "version") return keyOf(part.namespace, part.channel, part.version);
  if (part.type === "write") return keyOf(part.namespace, part.checkpoint, part.task, part.position);
  return part.type === "action" ? keyOf(part.task, part.action) : part.checkpoint;
}

function keyOf(...names: readonly unknown[]): string {
  return JSON.stringify(names);
}

/** Checks that no checkpoint is its own ancestor. */
function checkParents(checkpoints: readonly Part<"checkpoint">[]): void {
  const parents = new Map(
    checkpoints.map(({ namespace, id, parent }) => [keyOf(namespace, id), keyOf(namespace, parent)]),
  );
  const checked = new Set<string>();
  for (const start of parents.keys()) {
    const path = new Set<string>();
    for (let key: string | undefined = start; key !== undefined && !checked.has(key); key = parents.get(key)) {
      if (path.has(key)) throw new Error(`A checkpoint comes before itself: ${key}`);
      path.add(key);
    }
    for (const key of path) checked.add(key);
  }
}

function checkValue(value: StoredValue, sources: Sources): void {
  for (const text of textsIn(value)) checkText(text);
  for (const entry of entriesIn(value)) {
    const item = toSerialized(entry, sources);
    if (textNamesIn(item.content).length > 0) checkItem(item);
  }
}

function checkItem(item: Serialized): void {
  if (item.type === "json") checkLevels(item.content);
  const value = deserialize(item);
  if (!isMessageJson(item.content)) return;
  if (!isRecord(value) || messageForm(value) === undefined) throw new Error("There is a message that cannot be read.");
}

function checkText(json: string): void {
  checkLevels(json);
  deserialize({ type: "json", content: json });
}

/** Checks that JSON can be read, and written again, which data of many levels cannot. */
function checkLevels(json: string): void {
  JSON.stringify(JSON.parse(json));
}

function checkMetadata(metadata: string): void {
  checkText(metadata);
  readMetadata(metadata);
}

/** Reads all versions, each after the one that it is based on. @throws Error if one is based on itself or on none. */
function readVersions(parts: readonly Part<"version">[], sources: Sources): ReadonlyMap<string, ChannelVersion> {
  const versions = new Map<string, ChannelVersion>();
  for (const { namespace, channel, version, base, body } of parts.toSorted((a, b) => a.version - b.version)) {
    const value = parseStoredValue(body);
    checkValue(value, sources);
    const baseVersion = base === undefined ? undefined : versions.get(keyOf(namespace, channel, base));
    if (base !== undefined && baseVersion === undefined)
      throw new Error(`There is no version ${base} of "${channel}".`);
    versions.set(keyOf(namespace, channel, version), toChannelVersion(value, { ...sources, base: baseVersion }));
  }
  return versions;
}
