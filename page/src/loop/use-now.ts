import { useEffect, useState } from "react";

/** The time now, again every so many milliseconds while the tab is seen; only once without a number. */
export function useNow(every: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (every === undefined) return;
    const tell = () => {
      if (!document.hidden) setNow(Date.now());
    };
    tell();
    const timer = setInterval(tell, every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}
