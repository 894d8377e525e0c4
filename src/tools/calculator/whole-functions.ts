import { absolute, commonDivisor } from "./exact.js";

/** The largest whole number that a double can hold. Products stop there. */
const largest = 2n ** 1024n;
const largestFactorial = 170n;

/** Functions of whole numbers. Each returns undefined for numbers that it does not take. Each ends soon. */
export function factorial(operand: bigint): bigint | undefined {
  return operand > largestFactorial ? undefined : permutations(operand, operand);
}

/** Stops at the largest number, after 1,024 steps at most: half of the choices double with each step. */
export function combinations(things: bigint, chosen: bigint): bigint | undefined {
  if (things < 0n || chosen < 0n) return undefined;
  if (chosen > things) return 0n;
  const fewer = chosen < things - chosen ? chosen : things - chosen;
  let ways = 1n;
  for (let step = 1n; step <= fewer && ways < largest; step++) ways = (ways * (things - fewer + step)) / step;
  return ways;
}

/** Stops at the largest number, after 171 steps at most. */
export function permutations(things: bigint, chosen: bigint): bigint | undefined {
  if (things < 0n || chosen < 0n) return undefined;
  if (chosen > things) return 0n;
  let ways = 1n;
  for (let factor = things; factor > things - chosen && ways < largest; factor--) ways *= factor;
  return ways;
}

export function greatestCommonDivisor(...numbers: readonly bigint[]): bigint {
  return numbers.reduce(commonDivisor, 0n);
}

export function leastCommonMultiple(...numbers: readonly bigint[]): bigint {
  if (numbers.includes(0n)) return 0n;
  return numbers.reduce((multiple, value) => absolute(multiple * value) / commonDivisor(multiple, value), 1n);
}
