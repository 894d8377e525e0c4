import { Button } from "./button.js";

/** A button below the beginning of a long text. */
export function ShowAll({ length, onClick }: { readonly length: number; readonly onClick: () => void }) {
  return (
    <Button kind="flat" onClick={onClick}>
      {`Show all ${length.toLocaleString("en")} characters`}
    </Button>
  );
}
