/** Mathjs. */
export type MathsLibrary = typeof import("mathjs");

let loaded: Promise<MathsLibrary> | undefined;

/**
 * Mathjs as an instance of our own: whole numbers are exact, and nothing is complex. Its bundle of one file is read several
 * times faster than its 650 modules; still it is read at the first calculation only.
 */
export function loadMaths(): Promise<MathsLibrary> {
  loaded ??= import("mathjs/lib/browser/math.js").then(({ default: { all, create } }) => {
    const maths = create(all);
    maths.config({ number: "bigint", predictable: true });
    return maths;
  });
  return loaded;
}
