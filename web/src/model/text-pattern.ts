// What is searched for, applied to texts that the page has itself: threads, properties, findings.
// The program reads patterns for methods by the same rule: a substring, in which case counts when it
// has an upper-case letter, or /an expression/.

type Matcher = (text: string) => boolean;

function expressionOf(body: string): RegExp | null {
  try {
    return new RegExp(body, "u");
  } catch {
    return null;
  }
}

// An expression that is wrong, or not finished yet, matches nothing. An empty pattern matches all.
export function matcherOf(pattern: string): Matcher {
  if (pattern.length > 2 && pattern.startsWith("/") && pattern.endsWith("/")) {
    const expression = expressionOf(pattern.slice(1, -1));
    return (text) => expression?.test(text) ?? false;
  }
  const isExact = pattern !== pattern.toLowerCase();
  return (text) => (isExact ? text : text.toLowerCase()).includes(pattern);
}
