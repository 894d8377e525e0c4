import { useEffect, useMemo, useRef, useState } from "react";
import { type CutValue, type Part, type Place, pathOfRest, withPart } from "../client/parts.js";
import { requests } from "../client/server.js";
import { Button } from "../parts/button.js";
import { LongText } from "../parts/long-text.js";
import type { Cut } from "../wire.js";
import { inText, prettyJson } from "./pretty-json.js";

const nowhere: Place = { from: "", cut: [] };

/** A value of an answer: a text, or JSON. What the server cut comes when somebody wants it. */
export function Data({ value, place = nowhere }: { readonly value: unknown; readonly place?: Place | undefined }) {
  const { whole, isLoading, problem, load } = useWhole(value, place);
  const [isPretty, setPretty] = useState(false);
  const text = useMemo(() => inText(whole.value), [whole.value]);
  const pretty = useMemo(() => (whole.cut.length === 0 ? prettyJson(text) : undefined), [text, whole.cut]);
  const [first] = whole.cut;
  const isCutText = first !== undefined && first.path.length === 0 && typeof whole.value === "string";
  return (
    <>
      <LongText text={(isPretty && pretty) || text} rest={isCutText ? { length: first.length, load } : undefined} />
      {isLoading && <p className="muted">Loading…</p>}
      {first !== undefined && !isCutText && !isLoading && (
        <Button kind="flat" onClick={load}>
          A part was too long: show the rest
        </Button>
      )}
      {pretty !== undefined && (
        <Button kind="flat" aria-pressed={isPretty} onClick={() => setPretty(!isPretty)}>
          JSON by lines
        </Button>
      )}
      {problem !== undefined && <p className="problem">{problem}</p>}
    </>
  );
}

/** Keeps a value, and what was loaded of its rest. */
export function useWhole(value: unknown, { from, cut }: Place) {
  const [loaded, setLoaded] = useState<CutValue & { readonly of: unknown; readonly problem?: string }>();
  const [isLoading, setLoading] = useState(false);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const mine = loaded?.of === value ? loaded : undefined;
  const whole = mine ?? { value, cut };
  async function load() {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setLoading(true);
    const now = await wholeOf(whole, from, signal);
    if (signal.aborted) return;
    setLoaded({ ...now, of: value });
    setLoading(false);
  }
  return { whole, isLoading, problem: mine?.problem, load: () => void load() };
}

/** Loads what was cut, one part after the other. What was loaded stays if one does not come. */
async function wholeOf(begun: CutValue, from: string, signal: AbortSignal): Promise<CutValue & { problem?: string }> {
  let whole = begun;
  try {
    for (let at = firstLinked(whole); at?.link !== undefined; at = firstLinked(whole)) {
      whole = withPart(whole, at, await requests.get<Part>(pathOfRest(from, at.link), signal));
    }
    return whole;
  } catch (error) {
    return { ...whole, problem: error instanceof Error ? error.message : String(error) };
  }
}

function firstLinked({ cut }: CutValue): Cut | undefined {
  return cut.find(({ link }) => link !== undefined);
}
