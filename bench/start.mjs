// Measures the processor time of short commands. Run `npm run bench:start` in the project's folder, which builds `dist`
// first.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const rounds = 11;
const program = fileURLToPath(new URL("../dist/bundle/cli/bin.js", import.meta.url));
const commands = [
  { name: "node -e 0", args: ["-e", "0"] },
  { name: "glassloop --version", args: [program, "--version"] },
  { name: "glassloop threads list", args: [program, "threads", "list"] },
  { name: "glassloop ask, documents", args: [program, "ask", "What is the capital of France?"] },
  { name: "glassloop ask, calculator", args: [program, "ask", "What is 12 * 7?"] },
];

const folder = mkdtempSync(join(tmpdir(), "glassloop-bench-"));
// Without a key the offline stand-in answers.
const { OPENAI_API_KEY, GLASSLOOP_MODEL, GLASSLOOP_DB, ...others } = process.env;
const env = { ...others, HOME: folder, USERPROFILE: folder };
try {
  // A first round fills the database that the others list.
  for (const { args } of commands) cpuOf(args);
  const times = commands.map(() => []);
  // Other work of the machine affects all commands of a round alike.
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { args }] of commands.entries()) times[index].push(cpuOf(args));
  }
  const medians = times.map((list) => list.toSorted((left, right) => left - right)[Math.floor(rounds / 2)]);
  console.log(`Processor time, the median of ${rounds} runs, Node.js ${process.versions.node}`);
  console.log(`${"".padEnd(28)}${"ms".padStart(6)}${"ratio".padStart(8)}`);
  for (const [index, { name }] of commands.entries()) {
    const ratio = (medians[index] / medians[0]).toFixed(1);
    console.log(`${name.padEnd(28)}${medians[index].toFixed(0).padStart(6)}${ratio.padStart(8)}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Runs a program. Returns its processor time with that of its start and its end, in milliseconds. */
function cpuOf(args) {
  // Bash measures the time of the processes that it waited for. Node.js itself cannot, and cannot see its own end.
  const script = '"$@" >&2 && times';
  const measured = spawnSync("bash", ["-c", script, "bash", process.execPath, ...args], { cwd: folder, env });
  const [, user, system] = /\n(\S+) (\S+)\n$/.exec(String(measured.stdout)) ?? [];
  if (system === undefined) throw new Error(`${args.join(" ")} failed: ${measured.stderr}`);
  return millisecondsOf(user) + millisecondsOf(system);
}

/** Reads a time such as `1m2.345s`. */
function millisecondsOf(time) {
  const [, minutes, seconds] = /^(\d+)m(\d+[.,]\d+)s$/.exec(time);
  return (minutes * 60 + Number(seconds.replace(",", "."))) * 1000;
}
