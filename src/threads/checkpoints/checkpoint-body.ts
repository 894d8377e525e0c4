import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { type Item, ValueText } from "../values/serialize.js";

/** A checkpoint without its id and without the values of its channels. */
export type CheckpointVersions = Pick<Checkpoint, "v" | "ts" | "channel_versions" | "versions_seen">;

const shapeSchema = z.object({
  channels: z.array(z.string()),
  seen: z.array(z.tuple([z.string(), z.array(z.string())])),
});
const versionsSchema = z.array(z.union([z.number(), z.string()]));
const bodySchema = z.object({ v: z.number(), ts: z.string(), versions: versionsSchema, seen: z.array(versionsSchema) });

/**
 * Separates the versions of a checkpoint from the names that they belong to. The names hardly ever change in a thread.
 * They would be more than half of each checkpoint.
 *
 * @returns The names as an item (`shape`), and the versions as JSON (`body`).
 */
export function splitCheckpoint({ v, ts, channel_versions, versions_seen }: CheckpointVersions): {
  readonly shape: Item;
  readonly body: string;
} {
  const seen = Object.entries(versions_seen);
  const content = JSON.stringify({
    channels: Object.keys(channel_versions),
    seen: seen.map(([node, versions]) => [node, Object.keys(versions)]),
  });
  const body = JSON.stringify({
    v,
    ts,
    versions: Object.values(channel_versions),
    seen: seen.map(([, versions]) => Object.values(versions)),
  });
  return { shape: new ValueText("json", content), body };
}

/** Joins the two parts that {@link splitCheckpoint} made. */
export function joinCheckpoint(shapeText: string, bodyText: string): CheckpointVersions {
  const shape = shapeSchema.parse(JSON.parse(shapeText));
  const { v, ts, versions, seen } = bodySchema.parse(JSON.parse(bodyText));
  const nodes = shape.seen.map(([node, channels], index) => [node, zip(channels, seen[index])] as const);
  return { v, ts, channel_versions: zip(shape.channels, versions), versions_seen: Object.fromEntries(nodes) };
}

const versionsOnlySchema = z.object({ versions: versionsSchema });

/**
 * Returns a function that reads the version of one channel from the two parts of a checkpoint. For many checkpoints this
 * is quicker than {@link joinCheckpoint}: each shape is read once.
 */
export function versionReader(channel: string): (shapeText: string, bodyText: string) => number | string | undefined {
  const places = new Map<string, number>();
  return (shapeText, bodyText) => {
    const place = places.get(shapeText) ?? shapeSchema.parse(JSON.parse(shapeText)).channels.indexOf(channel);
    places.set(shapeText, place);
    return versionsOnlySchema.parse(JSON.parse(bodyText)).versions[place];
  };
}

function zip(names: readonly string[], versions: readonly (number | string)[] = []): Record<string, number | string> {
  const pairs = names.map((name, index): [string, number | string | undefined] => [name, versions[index]]);
  return Object.fromEntries(pairs.filter((pair): pair is [string, number | string] => pair[1] !== undefined));
}
