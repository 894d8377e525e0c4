import { useEffect, useState } from "react";
import { Button } from "../parts/button.js";
import "./server-bar.css";

/** Says that the server does not answer. What was read stays on the page. */
export function ServerBar({
  server,
  againAt,
  onTry,
}: {
  readonly server: string;
  /** When it is tried again, in milliseconds since 1970. */
  readonly againAt: number;
  readonly onTry: () => void;
}) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.ceil((againAt - now) / 1000);
  return (
    <div className="server-bar">
      <span role="alert">The server at {server} does not answer.</span>
      <span className="number">{seconds > 0 ? `Trying again in ${seconds} s.` : "Trying again …"}</span>
      <Button onClick={onTry}>Try now</Button>
    </div>
  );
}
