/** The length up to which `includes` is fast enough, whatever the texts are. */
const short = 100;

/**
 * Tells whether a text stands in another one, in linear time. `includes` may take the product of their lengths. The method is that
 * of Knuth, Morris and Pratt (1977).
 */
export function standsIn(part: string, text: string): boolean {
  if (!text.includes(part.slice(0, short))) return false;
  if (part.length <= short) return true;
  // At each place of the part: how much of its beginning ends there.
  const lengths = new Uint32Array(part.length);
  const grown = (from: number, sign: number): number => {
    let length = from;
    while (length > 0 && part.charCodeAt(length) !== sign) length = lengths[length - 1] ?? 0;
    return part.charCodeAt(length) === sign ? length + 1 : length;
  };
  for (let place = 1; place < part.length; place += 1) {
    lengths[place] = grown(lengths[place - 1] ?? 0, part.charCodeAt(place));
  }
  let length = 0;
  for (let place = 0; place < text.length && length < part.length; place += 1) {
    length = grown(length, text.charCodeAt(place));
  }
  return length === part.length;
}
