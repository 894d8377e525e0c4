import { describe, expect, it } from "vitest";
import { benchFigures } from "../helpers/bench-figures.js";
import { sharedPostgres } from "../helpers/postgres.js";

const faults = (...options: string[]) => benchFigures("faults", ...options);

const harmless = {
  "lost turns": 0,
  "doubled effects": 0,
  "lost effects": 0,
  "damaged threads": 0,
  "hangs over 60 s": 0,
  crashes: 0,
  "other errors": 0,
};

const everywhere = ["kill", "takeover", "clock", "reopen", "close", "second", "visit", "copy"];

/** The faults that happened, without their numbers. */
function happened(figures: Record<string, number>): string[] {
  const names = Object.keys(figures).filter((name) => name.startsWith("fault: "));
  return names.map((name) => name.slice("fault: ".length)).sort();
}

describe("threads survive kills, takeovers, clock steps, closing, pruning and lost connections", () => {
  it("on SQLite", async () => {
    const figures = await faults("--rounds", "2", "--seed", "1");
    expect(figures).toMatchObject(harmless);
    expect(happened(figures)).toEqual([...everywhere].sort());
  });

  it("on Postgres", async () => {
    const schema = await sharedPostgres().createSchema();
    const figures = await faults("--rounds", "2", "--seed", "2", "--db", schema.url);
    expect(figures).toMatchObject(harmless);
    expect(happened(figures)).toEqual([...everywhere, "cut", "stall"].sort());
    await schema.remove();
  });
});
