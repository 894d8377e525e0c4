import { type Place, placeBelow } from "../client/parts.js";
import { Button } from "../parts/button.js";
import { Picture } from "../parts/picture.js";
import type { SentMessage } from "../wire.js";
import { partsOfContent, pictureIn } from "./content.js";
import { Data, useWhole } from "./data.js";
import { Some } from "./section.js";

interface MessageProps {
  readonly message: SentMessage;
  readonly isNew?: boolean;
  readonly place: Place;
}

/** A message of a prompt, or a reply. */
export function Message({ message, isNew = false, place }: MessageProps) {
  const { type, name, content, tool_calls: calls = [] } = message;
  return (
    <article className="message" data-new={isNew}>
      <span className="role">{type === "tool" ? `tool ${name ?? ""}` : type === "ai" ? "model" : type}</span>
      <div>
        <Content content={content} place={placeBelow(place, "content")} />
        <NativeCalls calls={calls} place={placeBelow(place, "tool_calls")} />
      </div>
    </article>
  );
}

interface NativeCallsProps {
  readonly calls: readonly { readonly name?: string; readonly args?: unknown; readonly error?: string }[];
  readonly place: Place | undefined;
}

/** Calls as a model made them. */
export function NativeCalls({ calls, place }: NativeCallsProps) {
  return (
    <Some items={calls}>
      {({ name, args, error }, n) => (
        <div>
          <b className="tool-name">{name}</b> <span className="problem">{error}</span>
          <Data value={args ?? ""} place={place && placeBelow(place, n, "args")} />
        </div>
      )}
    </Some>
  );
}

/** The content of a message or a result: texts, pictures, and other blocks as they are. */
export function Content({ content, place }: { readonly content: unknown; readonly place: Place }) {
  return (
    <Some items={partsOfContent(content)}>
      {(part) =>
        part.kind === "text" ? (
          <Data value={part.text} place={placeBelow(place, ...part.path)} />
        ) : (
          <Block block={part.block} place={placeBelow(place, ...part.path)} />
        )
      }
    </Some>
  );
}

function Block({ block, place }: { readonly block: unknown; readonly place: Place }) {
  const { whole, isLoading, load } = useWhole(block, place);
  const { address, words = "" } = pictureIn(whole.value) ?? {};
  if (address === undefined) return <Data value={block} place={place} />;
  if (whole.cut.length === 0) return <Picture address={address} words={words} />;
  return (
    <Button kind="flat" disabled={isLoading} onClick={load}>
      {isLoading ? "Loading…" : "Show the picture"}
    </Button>
  );
}
