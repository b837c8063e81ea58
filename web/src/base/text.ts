// Names from a trace as people see them: characters that would act in the page or in a terminal are
// shown as escapes.

// Control characters, characters that turn the direction of the text around them, and those that
// cannot be seen: the set that src/base/text/utf8.c has as a table.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const ESCAPED = /\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|n|t)/;

function escape(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code > 0xffff) return `\\U${digits.padStart(8, "0")}`;
  return code < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u${digits.padStart(4, "0")}`;
}

// Such a character stands in the text as the command line writes it: \u202e.
export function visibleText(text: string): string {
  return text.replace(UNSAFE, escape);
}

const FROM_THE_RIGHT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

// The name for a text that can hold no elements, as a title: one that is written from the right
// leaves what stands beside it where it is. Other names stay as they are.
export function isolated(name: string): string {
  return FROM_THE_RIGHT.test(name) ? `\u2068${name}\u2069` : name;
}

// The text cut at its escapes: an escape may stand for itself or for the character that it names.
export function partsAsWritten(text: string): string[] {
  return text.split(ESCAPED);
}

// A regular expression that matches just this text, in signs that PCRE2 and browsers read alike.
export function quotedExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

// A text cut so that each second piece is a number with its unit, between which no line ends.
export function unitPieces(text: string): string[] {
  return text.split(/((?:< )?\d[\d.,]* (?:[mµn]?s|min|%)(?![\p{L}\d]))/u);
}

// A name cut where a line may end: behind the signs that join its parts, and before the capitals of camelCase.
export function linePieces(name: string): string[] {
  return name.split(/(?<=[./$_,;:()])(?![./$_,;:()])|(?<=\p{Ll}|\d)(?=\p{Lu})/u);
}
