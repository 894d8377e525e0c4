import { Component, type ReactNode } from "react";
import { Button } from "../parts/button.js";
import { Note } from "../parts/note.js";

interface Props {
  /** What is shown inside, such as "The step". */
  readonly name: string;
  readonly className: string;
  /** What it shows a part of: at another place it is tried again. */
  readonly place: string;
  readonly children: ReactNode;
}

/** Keeps an error of one part of the page from the others. */
export class ErrorBoundary extends Component<Props, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate({ place }: Props) {
    if (place !== this.props.place && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render() {
    const { error } = this.state;
    const { name, className, children } = this.props;
    if (error === undefined) return children;
    return (
      <section className={`${className} message-pane`} role="alert">
        <Note tone="bad">
          {name} cannot be shown: {error instanceof Error ? error.message : String(error)} Nothing of the thread is
          lost.
          <Button onClick={() => location.reload()}>Load the page again</Button>
        </Note>
      </section>
    );
  }
}
