// The figures of a section, and their aims.

/** Makes a report. `figure` prints a number; if it is over its aim, the bench ends with 1. */
export function reporter(section) {
  const missed = [];
  return {
    missed,
    note: (text) => console.log(`  ${text}`),
    figure(name, value, aim) {
      const over = aim !== undefined && value > aim;
      if (over) missed.push(`${section}: ${name} is ${value}, and may be ${aim} at most`);
      console.log(`  ${name.padEnd(58)} ${String(value).padStart(8)}${over ? `   (at most ${aim})` : ""}`);
    },
  };
}
