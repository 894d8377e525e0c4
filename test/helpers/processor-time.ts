/** The processor time of some work in milliseconds. Other work on the machine does not count. */
export async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Returns the power of the length with which the processor time of some work grows: 1 if it is linear, 2 if it is quadratic.
 * A limit of 1.5 holds on a machine of any speed.
 *
 * @param work Is done several times at the length, and at four times the length. The shortest times count.
 */
export async function growth(work: (length: number) => unknown, length: number): Promise<number> {
  let [once, fourfold, power] = [Infinity, Infinity, 2];
  await work(length);
  for (let tries = 0; tries < 3 || (tries < 10 && power > 1.4); tries += 1) {
    once = Math.min(once, await processorTime(() => work(length)));
    fourfold = Math.min(fourfold, await processorTime(() => work(4 * length)));
    power = Math.log(fourfold / once) / Math.log(4);
  }
  return power;
}
