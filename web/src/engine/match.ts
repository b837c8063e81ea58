// Regular expressions for the engine, by the browser's RegExp. The program asks PCRE2; where the two differ stands in
// docs/engine.md. An expression that this browser would read in another sense than PCRE2 is refused, not guessed.

// The flag of PCRE2 at the beginning of an expression.
const IGNORES_CASE = "(?i)";

// Escapes that mean the same with and without the flag "u", and to PCRE2.
const SAME_ESCAPES = /^[^A-Za-z]|^[dDsSwWbBnrtfv]|^x[0-9A-Fa-f]{2}/;

// Whether the expression says without the flag "u" what PCRE2 reads in it: such a one may have a lone "{" or "]", and
// escapes of signs that need none.
function isSameWithoutUnicode(expression: string): boolean {
  if (/[^\0-\uffff]|[\ud800-\udfff]|\[:|\(\?[^:=!<]/u.test(expression)) return false;
  for (let at = expression.indexOf("\\"); at >= 0; at = expression.indexOf("\\", at + 2)) {
    if (!SAME_ESCAPES.test(expression.slice(at + 1, at + 4))) return false;
  }
  return true;
}

// Whether there is "[]" or "[^]": a class of nothing, or of everything, to the browser, and one that goes on to PCRE2.
function hasEmptyClass(expression: string): boolean {
  let isInClass = false;
  for (let at = 0; at < expression.length; at++) {
    const sign = expression[at];
    if (sign === "\\") at += 1;
    else if (isInClass) isInClass = sign !== "]";
    else if (sign === "[") {
      if (/^\^?\]/.test(expression.slice(at + 1, at + 3))) return true;
      isInClass = true;
    }
  }
  return false;
}

// What the browser says is wrong, without the expression that it repeats.
function reasonOf(problem: unknown): string {
  const text = problem instanceof Error ? problem.message : String(problem);
  return text.replace(/^Invalid regular expression: .*: /s, "");
}

function compile(expression: string, ignoresCase: boolean): RegExp {
  const hasFlag = expression.startsWith(IGNORES_CASE);
  const source = hasFlag ? expression.slice(IGNORES_CASE.length) : expression;
  if (hasEmptyClass(source)) throw new Error("a class [] has nothing in it");
  const flags = hasFlag || ignoresCase ? "i" : "";
  try {
    return new RegExp(source, `${flags}u`);
  } catch (problem) {
    if (!isSameWithoutUnicode(source)) throw problem;
    return new RegExp(source, flags);
  }
}

// The expressions that are in use, by number.
export class Matches {
  readonly #inUse: (RegExp | null)[] = [];

  // The number of a compiled expression, or why it is wrong.
  compile(expression: string, ignoresCase: boolean): number | string {
    let compiled: RegExp;
    try {
      compiled = compile(expression, ignoresCase);
    } catch (problem) {
      return reasonOf(problem);
    }
    const free = this.#inUse.indexOf(null);
    const handle = free < 0 ? this.#inUse.length : free;
    this.#inUse[handle] = compiled;
    return handle;
  }

  isMatch(handle: number, text: string): boolean {
    return this.#inUse[handle]?.test(text) ?? false;
  }

  release(handle: number): void {
    this.#inUse[handle] = null;
  }
}
