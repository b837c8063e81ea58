// Names from a trace as people see them: characters that would act in the page or in a terminal are
// shown as escapes.

// Control characters, and characters that reverse the direction of the text around them.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const ESCAPED = /\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|n|t)/;

function escape(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  const code = character.charCodeAt(0);
  const digits = code.toString(16);
  return code < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u${digits.padStart(4, "0")}`;
}

// Such a character stands in the text as the command line writes it: \u202e.
export function visibleText(text: string): string {
  return text.replace(UNSAFE, escape);
}

// The text cut at its escapes: an escape may stand for itself or for the character that it names.
export function partsAsWritten(text: string): string[] {
  return text.split(ESCAPED);
}
