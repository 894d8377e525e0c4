import { type SubmitEvent, useId, useState } from "react";
import { keepKey, requests } from "../client/server.js";
import { ServerError } from "../client/server-error.js";
import { Button } from "../parts/button.js";
import { Mark } from "./mark.js";
import "./key-form.css";

/** Asks for the key of the server, which this tab keeps. */
export function KeyForm({ server }: { readonly server: string }) {
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState("");
  const field = useId();
  async function open(event: SubmitEvent) {
    event.preventDefault();
    keepKey(key);
    try {
      await requests.get("glassloop/about");
      location.reload();
    } catch (error) {
      setProblem(
        error instanceof ServerError && error.status === 401
          ? "The server does not take this key."
          : error instanceof Error
            ? error.message
            : String(error),
      );
    }
  }
  return (
    <main className="key-form">
      <form onSubmit={open}>
        <h1>
          <Mark /> Glassloop
        </h1>
        <label htmlFor={field}>The server at {server} asks for a key.</label>
        <input
          id={field}
          className="field"
          type="password"
          autoComplete="off"
          // biome-ignore lint/a11y/noAutofocus: there is nothing else to do.
          autoFocus
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        <p role="alert">{problem}</p>
        <Button type="submit" kind="main" disabled={key === ""}>
          Open
        </Button>
        <p className="muted">The key is kept for this tab only.</p>
      </form>
    </main>
  );
}
