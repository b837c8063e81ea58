// The colour of a change.

// What came of a time: less is blue and more is orange, as in flame graphs of a change; that does not tell alone, since each
// has its sign.
export function changeTone(ns: number): string {
  return ns > 0 ? "grew" : ns < 0 ? "shrank" : "";
}
