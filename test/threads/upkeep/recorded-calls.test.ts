import { expect, test } from "vitest";
import { databases, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { at, openKind } from "../open-kind.js";
import { cutOff, payerOn } from "./stopped-turns.js";

test.each(matrix(databases, sqlite))(
  "in $name an interrupted call stays on record when its updated thread is pruned",
  async (kind) => {
    const { threads } = await openKind(kind);
    const paid = await cutOff(threads);
    const agent = payerOn(threads, (amount) => paid.push(amount), [" I know\nFinal Answer: Perhaps."]);
    for (const question of ["Pay 5", "Pay 5 now"]) await agent.updateState(at("t"), { question }, "parse");
    const { checkpoints } = await threads.prune({ keepTurns: 0 });
    expect(checkpoints).toBeGreaterThan(0);
    const { intermediateSteps } = await agent.invoke(null, at("t"));
    expect(intermediateSteps[0]?.results[0]?.status).toBe("unknown");
    expect(paid).toEqual(["5"]);
    await threads.prune({ keepTurns: 0 });
    expect((await threads.history("t")).turns.flatMap(({ steps }) => steps)).toHaveLength(1);
  },
);
