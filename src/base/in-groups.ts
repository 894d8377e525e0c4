interface Due<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (error: unknown) => void;
}

interface GroupOptions<Item, Result> {
  /** Does what a group asks for. Returns the end of each item, in their order. If it fails, all of the group fail. */
  readonly run: (group: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]>;
  /** How many of the items that are due make a group. */
  readonly count: (due: readonly Item[]) => number;
  /** The most groups that are run at once. With fewer groups each is larger, but a slow one delays more of the others. */
  readonly atOnce?: number;
}

/** Joins what comes at the same time, or while others are under way: all of a group are done at once. Keeps their order. */
export function inGroups<Item, Result>({ run, count, atOnce = 1 }: GroupOptions<Item, Result>) {
  const due: Due<Item, Result>[] = [];
  let running = 0;

  async function runDue(): Promise<void> {
    running += 1;
    // What else is asked for now belongs to the first group.
    await undefined;
    while (due.length > 0) await runGroup(due.splice(0, count(due.map(({ item }) => item))));
    running -= 1;
  }

  async function runGroup(group: readonly Due<Item, Result>[]): Promise<void> {
    try {
      const ends = await run(group.map(({ item }) => item));
      for (const [index, end] of ends.entries()) group[index]?.resolve(end);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      due.push({ item, resolve, reject });
      if (running < atOnce) void runDue();
    });
}
