// Text that came from a trace, as people are to see it.

// Control characters, and those that turn the text around them the other way.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const ESCAPED = /\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|n|t)/;

function escape(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  const code = character.charCodeAt(0);
  const digits = code.toString(16);
  return code < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u${digits.padStart(4, "0")}`;
}

// What would act in the page or in a terminal stands there as the command writes it: \u202e.
export function visibleText(text: string): string {
  return text.replace(UNSAFE, escape);
}

// The text cut where it may have been made visible: what lies between the parts is not known.
export function partsAsWritten(text: string): string[] {
  return text.split(ESCAPED);
}
