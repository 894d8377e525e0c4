import { goTo } from "../address.js";
import { Button } from "../parts/button.js";
import { Note } from "../parts/note.js";

/** Says why a thread cannot be shown, and offers a way on. */
export function MissingThread({ why }: { readonly why: string }) {
  return (
    <div className="talk message-pane" tabIndex={-1}>
      <Note tone="bad">
        <span>This thread cannot be shown: {why}</span>
        <Button onClick={() => goTo({ part: "threads" })}>To the threads</Button>
        <Button onClick={() => goTo({})}>New thread</Button>
      </Note>
    </div>
  );
}
