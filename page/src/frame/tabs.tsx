import { type Address, goTo } from "../address.js";
import { capital } from "../turn/sentences.js";
import { type Pane, panes } from "./places.js";
import "./tabs.css";

/** What is shown where only one pane has room. */
export function Tabs({ address, shown }: { readonly address: Address; readonly shown: Pane }) {
  return (
    <nav className="tabs" aria-label="Panes">
      {panes.map((pane) => (
        <button
          key={pane}
          type="button"
          aria-current={pane === shown || undefined}
          onClick={() => goTo({ ...address, part: pane })}
        >
          {capital(pane)}
        </button>
      ))}
    </nav>
  );
}
