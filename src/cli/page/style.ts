/** The style of a page. It is the only one that the page's Content-Security-Policy lets in. */
export const style = `
:root { color-scheme: light dark; --line: #8886; --mark: #3b82f6; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; border-top: 1px solid var(--line); padding-top: 1.5rem; margin-top: 2rem; }
small, .quiet { opacity: .7; }
pre, .said { white-space: pre-wrap; margin: .5rem 0; }
pre { font-size: .85rem; background: var(--soft); padding: .6rem; border-radius: .4rem; max-height: 30rem; overflow: auto; }
details { border-left: 3px solid var(--line); padding-left: .8rem; margin: .4rem 0; }
summary { cursor: pointer; }
svg { display: block; width: 100%; height: auto; margin: .6rem 0; font: 11px system-ui, sans-serif; }
svg text { fill: currentColor; } svg .box { fill: Canvas; stroke: var(--line); }
svg .bar { fill: var(--mark); } svg .edge { fill: none; stroke: var(--mark); }
`;
