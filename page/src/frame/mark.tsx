/** The mark of Glassloop: a loop. */
export function Mark() {
  return (
    <svg
      className="mark"
      width="18"
      height="18"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.4"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M20 12a8 8 0 1 1-2.6-5.9" />
      <path d="M20 3v4h-4" />
    </svg>
  );
}
