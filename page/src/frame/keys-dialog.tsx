import { type Ref, useId } from "react";
import { Button } from "../parts/button.js";
import { keyList } from "./keys.js";
import "./dialog.css";

/** The list of all keys. */
export function KeysDialog({ ref }: { readonly ref: Ref<HTMLDialogElement> }) {
  const head = useId();
  return (
    <dialog ref={ref} aria-labelledby={head}>
      <h2 id={head}>Keys</h2>
      <table>
        <tbody>
          {keyList.map(([keys, what]) => (
            <tr key={what}>
              <th scope="row">
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Button onClick={(event) => event.currentTarget.closest("dialog")?.close()}>Close</Button>
    </dialog>
  );
}
