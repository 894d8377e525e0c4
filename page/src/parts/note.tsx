import type { ReactNode } from "react";

/** A sentence that somebody must see: amber for a limit or what a person did, red for a failure. */
export function Note({ tone, children }: { readonly tone: "person" | "bad"; readonly children: ReactNode }) {
  return (
    <div className="note" data-tone={tone}>
      {children}
    </div>
  );
}
