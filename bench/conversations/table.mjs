const columns = ["calls", "tokens", "from cache", "not cached", "own words", "all it needs"];

/** Prints a line for each contestant. A token is four bytes. */
export function printTable(rows) {
  const header = columns.map((name) => name.padStart(14)).join("");
  console.log(`${"".padEnd(24)}${header}`);
  for (const { name, results } of rows) {
    const sum = (field) => results.reduce((total, result) => total + result[field], 0);
    const followUps = sum("followUps");
    const cells = [
      sum("calls"),
      Math.round(sum("bytes") / 4),
      `${((100 * sum("cached")) / sum("bytes")).toFixed(1)} %`,
      Math.round((sum("bytes") - sum("cached")) / 4),
      `${sum("ownWords")} of ${followUps}`,
      `${sum("complete")} of ${followUps}`,
    ];
    console.log(`${name.padEnd(24)}${cells.map((cell) => String(cell).padStart(14)).join("")}`);
  }
}
