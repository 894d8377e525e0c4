import type { ButtonHTMLAttributes } from "react";

/** A button. `main` is the one that most people want here, `flat` one beside others. */
export function Button({
  kind = "usual",
  ...attributes
}: ButtonHTMLAttributes<HTMLButtonElement> & { readonly kind?: "usual" | "main" | "flat" }) {
  return <button type="button" className="button" data-kind={kind} {...attributes} />;
}
