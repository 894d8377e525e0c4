import { Fragment, type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "../parts/button.js";
import { count } from "../turn/amounts.js";

/** The sections of a step, as addresses name them. Their places are their keys. */
export const sections = ["prompt", "reply", "why", "calls", "changed"] as const;
export type SectionName = (typeof sections)[number];

interface SectionProps {
  readonly name: SectionName;
  readonly title: string;
  readonly meta: string;
  /** True if the address names it, and what is above it is there. */
  readonly isShown: boolean;
  readonly isOpen: boolean;
  readonly onFold: (isOpen: boolean) => void;
  readonly children: ReactNode;
}

/** A part of a step that can be folded. What is folded is not drawn, and loads nothing. */
export function Section({ name, title, meta, isShown, isOpen, onFold, children }: SectionProps) {
  const summary = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a section opens when the address names it, and can be folded then.
  useEffect(() => {
    if (!isShown) return;
    onFold(true);
    summary.current?.scrollIntoView({ block: "start" });
    summary.current?.focus({ preventScroll: true });
  }, [isShown]);
  return (
    <details className="step-section" open={isOpen} onToggle={({ currentTarget }) => onFold(currentTarget.open)}>
      <summary ref={summary}>
        <h3>{title}</h3>
        <span className="muted number">{meta}</span>
        <kbd>{sections.indexOf(name) + 1}</kbd>
      </summary>
      {isOpen && children}
    </details>
  );
}

/** A fold for what is seldom wanted. It is drawn when it is opened. */
export function Fold({ title, children }: { readonly title: ReactNode; readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="step-fold" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary dir="auto">{title}</summary>
      {isOpen && children}
    </details>
  );
}

interface SomeProps<Item> {
  readonly items: readonly Item[];
  readonly most?: number;
  readonly children: (item: Item, index: number) => ReactNode;
}

/** The first of many things, and a button for more of them. */
export function Some<Item>({ items, most = 50, children }: SomeProps<Item>) {
  const [shown, setShown] = useState(most);
  const left = items.length - shown;
  return (
    <>
      {items.slice(0, shown).map((item, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items have no other name, and keep their order.
        <Fragment key={n}>{children(item, n)}</Fragment>
      ))}
      {left > 0 && <More left={left} onClick={() => setShown(shown + most)} />}
    </>
  );
}

/** A button for what is left. */
export function More({ left, onClick }: { readonly left: number; readonly onClick: () => void }) {
  return <Button kind="flat" onClick={onClick}>{`Show more: ${count(left)} left`}</Button>;
}

/** Facts with their names. What is not known is left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ReactNode>> }) {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== false && value !== "");
  return (
    <dl className="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What is said of something in a few parts. Those that are not known are left out. */
export function inParts(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(" · ");
}
