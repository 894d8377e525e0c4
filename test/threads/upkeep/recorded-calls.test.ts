import { expect, test } from "vitest";
import { databases, memory } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { payerOn } from "../agents.js";
import { at, openKind } from "../open-kind.js";
import { cutOff, resumed } from "./stopped-turns.js";

test.each(matrix(databases, memory))(
  "in $name an interrupted call stays on record when its updated thread is pruned",
  async (kind) => {
    const { threads } = await openKind(kind);
    const paid = await cutOff(threads);
    const agent = payerOn(threads, (amount) => paid.push(amount), []);
    for (const question of ["Pay 5", "Pay 5 now"]) await agent.updateState(at("t"), { question }, "parse");
    const { checkpoints } = await threads.prune({ keepTurns: 0 });
    expect(checkpoints).toBeGreaterThan(0);
    expect(await resumed(threads, paid)).toEqual({ calls: ["unknown"], paid: ["5"] });
    await threads.prune({ keepTurns: 0 });
    expect((await threads.history("t")).turns.flatMap(({ steps }) => steps)).toHaveLength(1);
  },
);
