import { useState } from "react";
import { Button } from "./button.js";

/** A button that copies a text, and says so. */
export function CopyButton({ text, children }: { readonly text: () => string; readonly children: string }) {
  const [isCopied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(text());
    setCopied(true);
  }
  return (
    <Button kind="flat" onClick={copy} onBlur={() => setCopied(false)}>
      {isCopied ? "Copied" : children}
    </Button>
  );
}
