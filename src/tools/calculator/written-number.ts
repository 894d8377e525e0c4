import { absolute, type Exact, toDouble } from "./exact.js";
import { type Approximate, approximate, isExact, type Value } from "./values.js";

/** A number in digits. `isRounded` tells that it looks exact, and is not. */
export interface WrittenNumber {
  readonly text: string;
  readonly isRounded: boolean;
}

/** A number with more digits after its point is written as a double. */
const mostExactDigits = 30;
const digitsOfDoubles = 15;
const fewestDigits = 3;

/**
 * Writes a number in plain digits. Whole numbers are exact at any length, and decimals up to 30 places. Other numbers
 * have the digits that are sure, 15 to 17 of them in most cases.
 *
 * @returns undefined if rounding has left less than three sure digits.
 */
export function writeNumber(value: Value): WrittenNumber | undefined {
  if (!isExact(value)) return writeApproximate(value);
  const digits = exactDigits(value);
  return digits === undefined ? writeApproximate(approximate(toDouble(value))) : { text: digits, isRounded: false };
}

/** Writes a number whose decimals end: 1/8, but not 1/3. */
function exactDigits({ numerator, denominator }: Exact): string | undefined {
  if (denominator === 1n) return numerator.toString();
  const places = decimalPlaces(denominator);
  if (places === undefined) return undefined;
  const digits = absolute((numerator * 10n ** BigInt(places)) / denominator).toString();
  if (Math.min(digits.length, places) > mostExactDigits) return undefined;
  const sign = numerator < 0n ? "-" : "";
  if (places - digits.length >= 15) return `${sign}${pointed(digits, 1)}e-${places - digits.length + 1}`;
  const padded = digits.padStart(places + 1, "0");
  return sign + pointed(padded, padded.length - places);
}

function pointed(digits: string, whole: number): string {
  return digits.length > whole ? `${digits.slice(0, whole)}.${digits.slice(whole)}` : digits;
}

/** The number of decimals of a fraction in lowest terms; undefined if they never end. */
function decimalPlaces(denominator: bigint): number | undefined {
  let [rest, twos, fives] = [denominator, 0, 0];
  for (; rest % 2n === 0n; rest /= 2n) twos++;
  for (; rest % 5n === 0n; rest /= 5n) fives++;
  return rest === 1n ? Math.max(twos, fives) : undefined;
}

function writeApproximate({ value, error }: Approximate): WrittenNumber | undefined {
  if (Math.abs(value) <= error && error < 1e-12) return { text: "0", isRounded: true };
  const sure = Math.floor(-Math.log10(error / Math.abs(value)));
  if (sure < fewestDigits) return undefined;
  const text = sure < digitsOfDoubles - 1 ? plain(Number(value.toPrecision(sure))) : plain(withoutNoise(value));
  return { text, isRounded: !/\.\d/.test(text) || significantDigits(text) < digitsOfDoubles };
}

/** Leaves the last digits of double precision out if they are noise: 0.3 for 0.30000000000000004. */
function withoutNoise(value: number): number {
  const rounded = Number(value.toPrecision(digitsOfDoubles));
  return String(rounded).length + 4 < String(value).length ? rounded : value;
}

function plain(value: number): string {
  const text = String(value);
  return text.includes("e-") && Math.abs(value) >= 1e-15 ? plainDigits.format(value) : text;
}

const plainDigits = new Intl.NumberFormat("en-US", { useGrouping: false, maximumSignificantDigits: 15 });

function significantDigits(text: string): number {
  return text.replace(/e.*$/, "").replace(".", "").replace(/^-?0*/, "").length;
}
