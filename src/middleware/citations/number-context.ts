const clauseEnd = /^[*_"'”’»)}\]\s]*(?:[.,;:!?…。，、；：！？|[【(（<]|$|\n)/;
const operator = /[=∈≤≥≠→←+×÷]\s*$/;
const operatorAfter = /^(?:\s*[=∈≤≥≠→←+×÷]|\.\p{Ll}|\{|\[\D)/u;
/** What has an index, as in `a[1]`, `my_list[1]` and `f(x)[1]`. */
const indexed = /(?:(?<![\p{L}\p{N}])(?:[a-z]\d?|arr|array|nums?|args|matrix|list|row)|_\p{L}*|\p{L}\([^()\s]*\))$/iu;
const verb = /(?:\b(?:is|are|was|were|equals?|returns?|prints?|contains|like|ist|sind|est|sont)|是|为|[:：])[\s:`]*$/i;
const noun = /\b(?:lists?|arrays?|vectors?|tuples?|numbers?|values?|range|interval|shape|points?|ages?|to)[\s:`]*$/i;
const choice =
  /(?:(?:^|[\n.:;,!?*]\s*|\b(?:and|then|to|or|can|please|you|again)\s+)|\b(?:press|type|enter|hit|select|choose|click|use)\s+(?:the\s+)?)(?:press|type|enter|hit|select|choose|click|options?|step|key|button|version|item|line|v)[\s:`]*$/i;
const source = /\b(?:source|passage|document|reference|citation)s?\b|来源/i;

/**
 * Tells whether numbers in brackets are data: a list, a range, an index, a key. Nobody can tell it from the numbers alone, so the
 * words beside them count, and whether there are sources with these numbers.
 */
export function isData(numbers: readonly number[], known: number, before: string, after: string): boolean {
  const unknown = numbers.filter((each) => each > known).length;
  const isMiddle = !clauseEnd.test(after);
  if (operator.test(before) || operatorAfter.test(after) || indexed.test(before)) return true;
  if (numbers.length === 1) {
    const isOther = verb.test(before) || /\bet al\.?\s*$/.test(before) || (isMiddle && /[a-z]$/i.test(before));
    return choice.test(before) || (unknown > 0 && isOther);
  }
  if (unknown === numbers.length || source.test(before)) return unknown === numbers.length;
  return verb.test(before) || (noun.test(before) && (isMiddle || unknown > 0));
}
