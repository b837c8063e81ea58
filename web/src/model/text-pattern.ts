// What is searched for, applied to texts that the page has itself: threads, properties, findings.
// The program reads patterns for methods by the same rule: a substring, in which case counts when it
// has an upper-case letter, =a substring that is a whole word, or /an expression/.

type Matcher = (text: string) => boolean;

function expressionOf(body: string): RegExp | null {
  try {
    return new RegExp(body, "u");
  } catch {
    return null;
  }
}

const OF_WORD = /[0-9A-Za-z_\u0080-\uffff]/;

// Whether what stands at a place goes on with a letter or a digit, before it or behind it.
function goesOn(text: string, at: number, length: number): boolean {
  const isJoined = (before: number): boolean =>
    OF_WORD.test(text[before] ?? "") && OF_WORD.test(text[before + 1] ?? "");
  return isJoined(at - 1) || isJoined(at + length - 1);
}

// Where the word stands in the text.
function placesOf(text: string, word: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) places.push(at);
  return places;
}

function wordMatcher(word: string): Matcher {
  const isExact = word !== word.toLowerCase();
  return (text) => {
    const compared = isExact ? text : text.toLowerCase();
    return placesOf(compared, word).some((at) => !goesOn(compared, at, word.length));
  };
}

// A longer word of the text that the pattern is found in, where it is no word of its own: "ConcurrentHashMap" of a search for
// "HashMap". Null: it is one, or the pattern is an expression or a word already.
export function longerWord(pattern: string, text: string): string | null {
  if (!/^[0-9A-Za-z_]+$/.test(pattern) || matcherOf(`=${pattern}`)(text)) return null;
  const compared = pattern === pattern.toLowerCase() ? text.toLowerCase() : text;
  const [at] = placesOf(compared, pattern);
  if (at === undefined) return null;
  let from = at;
  let to = at + pattern.length;
  while (OF_WORD.test(text[from - 1] ?? "")) from--;
  while (OF_WORD.test(text[to] ?? "")) to++;
  return text.slice(from, to);
}

// An expression that is wrong, or not finished yet, matches nothing. An empty pattern matches all.
export function matcherOf(pattern: string): Matcher {
  if (pattern.length > 2 && pattern.startsWith("/") && pattern.endsWith("/")) {
    const expression = expressionOf(pattern.slice(1, -1));
    return (text) => expression?.test(text) ?? false;
  }
  if (pattern.length > 1 && pattern.startsWith("=")) return wordMatcher(pattern.slice(1));
  const isExact = pattern !== pattern.toLowerCase();
  return (text) => (isExact ? text : text.toLowerCase()).includes(pattern);
}
