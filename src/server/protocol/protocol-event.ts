import { z } from "zod";

/** An event of version 2 of LangGraph's protocol. */
export interface ProtocolEvent {
  readonly type: "event";
  readonly event_id: string;
  readonly seq: number;
  readonly method: string;
  readonly params: {
    readonly namespace: readonly string[];
    readonly timestamp: number;
    readonly node?: string;
    readonly data: unknown;
  };
}

/** What a reader wants: channels, and the places below which it wants them. */
export const eventFilter = z.object({
  channels: z.array(z.string()),
  namespaces: z.array(z.array(z.string())).nullish(),
  depth: z.int().min(0).nullish(),
  since: z.int().min(0).nullish(),
});
type EventFilter = z.output<typeof eventFilter>;

const namedSchema = z.object({ name: z.string() });

/** Tells whether a reader wants an event. */
export function isWanted(event: ProtocolEvent, { channels, namespaces, depth, since }: EventFilter): boolean {
  const { namespace, data } = event.params;
  // Only the name of the channel `input` differs from those of its events.
  const [channel = ""] = event.method.split(".");
  const name = channel === "custom" ? namedSchema.safeParse(data).data?.name : undefined;
  if (since && event.seq <= since) return false;
  if (!channels.includes(channel) && !channels.includes(`custom:${name}`)) return false;
  if (!namespaces?.length) return true;
  return namespaces.some((prefix) => {
    const below = namespace.length - prefix.length;
    return below >= 0 && below <= (depth ?? below) && prefix.every((part, at) => isPart(namespace[at], part));
  });
}

/** A reader may leave out what tells one run of a node from another. */
function isPart(given: string | undefined, wanted: string): boolean {
  return given === wanted || given?.split(":")[0] === wanted;
}
