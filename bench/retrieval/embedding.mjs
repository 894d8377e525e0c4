// An embedding without a model: the parts of words, counted into 384 numbers. It finds spellings that are alike, such as
// "founder" and "founded". It knows nothing of meaning, so it cannot show what a real embedding finds.
const dimensions = 384;

export const lettersEmbedding = {
  model: "letters-384",
  embedQuery: async (text) => vectorOf(text),
  embedDocuments: async (texts) => texts.map(vectorOf),
};

function vectorOf(text) {
  const vector = new Array(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const padded = `<${word}>`;
    for (let n = 0; n + 3 <= padded.length; n++) vector[hash(padded.slice(n, n + 3)) % dimensions] += 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

export function likeness(one, other) {
  return one.reduce((sum, value, n) => sum + value * other[n], 0);
}

function hash(text) {
  return [...text].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7);
}
