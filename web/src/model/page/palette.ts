// Finds commands by a few of their letters.

// How well `text` holds the letters of `query` in their order; null when it does not. A letter
// counts more at the start of a word or next to the letter before it.
export function matchScore(text: string, query: string): number | null {
  const low = text.toLowerCase();
  let score = 0;
  let place = 0;
  for (const letter of query.toLowerCase().replaceAll(" ", "")) {
    const found = low.indexOf(letter, place);
    if (found < 0) return null;
    const isStart = found === 0 || low[found - 1] === " ";
    score += found === place && place > 0 ? 5 : isStart ? 4 : 1;
    place = found + 1;
  }
  return score - text.length / 200;
}

export function bestMatches<T>(
  items: readonly T[],
  query: string,
  textOf: (item: T) => string,
): T[] {
  if (query.trim() === "") return [...items];
  return items
    .flatMap((item) => {
      const score = matchScore(textOf(item), query);
      return score === null ? [] : [{ item, score }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}
