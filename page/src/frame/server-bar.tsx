import { Button } from "../parts/button.js";

/** Says that the server does not answer. What was read stays on the page. */
export function ServerBar({
  server,
  seconds,
  onTry,
}: {
  readonly server: string;
  /** Until the next try; 0 while it is made. */
  readonly seconds: number;
  readonly onTry: () => void;
}) {
  return (
    <div className="server-bar" role="alert">
      <span>
        The server at {server} does not answer.{" "}
        <span aria-hidden="true">{seconds > 0 ? `Trying again in ${seconds} s.` : "Trying again …"}</span>
      </span>
      <Button onClick={onTry}>Try now</Button>
    </div>
  );
}
