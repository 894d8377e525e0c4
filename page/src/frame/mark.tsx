import "./mark.css";

/** The mark of Glassloop: a loop. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M20 12a8 8 0 1 1-2.6-5.9" />
      <path d="M20 3v4h-4" />
    </svg>
  );
}
