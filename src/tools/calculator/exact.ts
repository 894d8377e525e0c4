/** A number that is known exactly: a quotient of whole numbers in lowest terms. The denominator is positive. */
export interface Exact {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Makes a number of a whole number, or of a quotient. The denominator is not 0. */
export function exact(numerator: bigint | number, denominator: bigint | number = 1n): Exact {
  const [above, below] = [BigInt(numerator), BigInt(denominator)];
  if (below === 1n) return { numerator: above, denominator: below };
  const shared = commonDivisor(above, below) * (below < 0n ? -1n : 1n);
  return { numerator: above / shared, denominator: below / shared };
}

export function isWhole({ denominator }: Exact): boolean {
  return denominator === 1n;
}

/** Returns the greatest common divisor of two whole numbers, which is not negative. */
export function commonDivisor(left: bigint, right: bigint): bigint {
  let [divisor, rest] = [left, right];
  while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
  return absolute(divisor);
}

export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

export function addExact(left: Exact, right: Exact): Exact {
  return exact(
    left.numerator * right.denominator + right.numerator * left.denominator,
    left.denominator * right.denominator,
  );
}

export function multiplyExact(left: Exact, right: Exact): Exact {
  return exact(left.numerator * right.numerator, left.denominator * right.denominator);
}

/** Divides by a number that is not 0. */
export function divideExact(left: Exact, right: Exact): Exact {
  return exact(left.numerator * right.denominator, left.denominator * right.numerator);
}

/** Rounds down to a whole number. */
export function floorExact({ numerator, denominator }: Exact): bigint {
  const quotient = numerator / denominator;
  return numerator < 0n && quotient * denominator !== numerator ? quotient - 1n : quotient;
}

/** Compares two numbers: negative if the left one is less, 0 if they are equal. */
export function compareExact(left: Exact, right: Exact): number {
  const [above, below] = [left.numerator * right.denominator, right.numerator * left.denominator];
  return above < below ? -1 : Number(above > below);
}

/** The largest size of a power that is worked out exactly, in bits. */
const longestPower = 4096;

/** Raises a number to a whole power. Returns undefined if the result would be too long, or is 1 / 0. */
export function powerExact(base: Exact, exponent: bigint): Exact | undefined {
  const { numerator, denominator } = base;
  if (exponent < 0n) return numerator === 0n ? undefined : powerExact(divideExact(exact(1n), base), -exponent);
  if (exponent === 0n) return exact(1n);
  if (isWhole(base) && absolute(numerator) <= 1n) return exponent % 2n === 0n ? multiplyExact(base, base) : base;
  if (BigInt(bitsOf(numerator) + bitsOf(denominator)) * exponent > longestPower) return undefined;
  return { numerator: numerator ** exponent, denominator: denominator ** exponent };
}

/** Returns the root of a number that is not negative; undefined if it is no quotient of whole numbers. */
export function rootExact({ numerator, denominator }: Exact, degree: bigint): Exact | undefined {
  const above = wholeRoot(numerator, degree);
  const below = above === undefined ? undefined : wholeRoot(denominator, degree);
  return above === undefined || below === undefined ? undefined : exact(above, below);
}

function wholeRoot(value: bigint, degree: bigint): bigint | undefined {
  if (value < 2n) return value;
  if (degree > bitsOf(value)) return undefined;
  const near = toDouble(exact(value)) ** (1 / Number(degree));
  const root = near < 2 ** 50 ? BigInt(Math.round(near)) : newtonRoot(value, degree);
  return root ** degree === value ? root : undefined;
}

/** Newton's method in whole numbers. It comes from above, and stops at the root. */
function newtonRoot(value: bigint, degree: bigint): bigint {
  let root = 1n << (BigInt(bitsOf(value)) / degree + 1n);
  for (;;) {
    const next = ((degree - 1n) * root + value / root ** (degree - 1n)) / degree;
    if (next >= root) return root;
    root = next;
  }
}

/** Returns the double that is nearest to a number. The number is under 1.8e308, and 0 or over 1e-280. */
export function toDouble({ numerator, denominator }: Exact): number {
  const shift = Math.max(0, 64 + bitsOf(denominator) - bitsOf(numerator));
  const shifted = absolute(numerator) << BigInt(shift);
  const quotient = shifted / denominator;
  // A last bit for the rest keeps a number that is just over the middle of two doubles apart from the middle.
  const rest = quotient * denominator === shifted ? 0n : 1n;
  return ((numerator < 0n ? -1 : 1) * Number((quotient << 1n) | rest)) / 2 / 2 ** shift;
}

/** The length of a whole number in binary digits. */
export function bitsOf(value: bigint): number {
  const digits = absolute(value).toString(16);
  return digits.length * 4 - 4 + (32 - Math.clz32(Number.parseInt(digits.charAt(0), 16)));
}
