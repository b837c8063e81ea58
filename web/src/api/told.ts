// The answers to the first questions of the page, which the program writes into the page.

import type { WindowAnswer } from "../model/timeline/boxes";
import { fieldsOf, textOf } from "./check";
import { decodeFirst, type First } from "./decode";
import { decodeWindow } from "./packed";

export interface Told {
  readonly first: First;
  // The window of the timeline that the page asked for first when this trace was open last.
  readonly window: { readonly query: string; readonly answer: WindowAnswer } | null;
}

// Browsers since 2025 decode base64 themselves, fifty times as fast as the loop below.
interface FromBase64 {
  fromBase64?: (text: string) => Uint8Array;
}

function bytesIn(base64: string): ArrayBuffer {
  const own = (Uint8Array as FromBase64).fromBase64?.(base64);
  const bytes = own ?? Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  return bytes.buffer as ArrayBuffer;
}

export function decodeTold(text: string): Told {
  const fields = fieldsOf(JSON.parse(text), "first");
  const first = decodeFirst(fields);
  if (fields["window"] === undefined) return { first, window: null };
  const window = fieldsOf(fields["window"], "window");
  const answer = decodeWindow(bytesIn(textOf(window, "answer")));
  return { first, window: { query: textOf(window, "query"), answer } };
}

// Null where the page holds no answers, or some that cannot be read: then the page asks for them.
// The element is taken out, so a second call finds nothing.
export function takeTold(): Told | null {
  const element = document.getElementById("first");
  const text = element?.textContent ?? "";
  element?.remove();
  try {
    return text === "" ? null : decodeTold(text);
  } catch {
    return null;
  }
}
