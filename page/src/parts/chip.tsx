import type { ReactNode } from "react";

export type Tone = "plain" | "person" | "good" | "bad";

/** A word about something, in the colour of its meaning. */
export function Chip({ tone = "plain", children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span className="chip" data-tone={tone}>
      {children}
    </span>
  );
}
