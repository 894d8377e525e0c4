import { useEffect, useState } from "react";

/** A picture in a `data:` address. The browser gets it as a file, as a large address would stay in its page. */
export function Picture({ address, words }: { readonly address: string; readonly words: string }) {
  const [file, setFile] = useState<string>();
  useEffect(() => {
    const bytes = readData(address);
    if (bytes === undefined) return;
    const made = URL.createObjectURL(bytes);
    setFile(made);
    return () => URL.revokeObjectURL(made);
  }, [address]);
  if (file === undefined) return <span className="muted">[{words}]</span>;
  return <img className="picture" src={file} alt={words} />;
}

/** Reads the bytes of a picture; undefined if it cannot be read. */
function readData(address: string): Blob | undefined {
  const [, type, base64] = /^data:(image\/[\w.+-]+);base64,(.*)$/s.exec(address) ?? [];
  if (type === undefined || base64 === undefined) return undefined;
  try {
    return new Blob([Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))], { type });
  } catch {
    return undefined;
  }
}
