// Calls, or what a sampled trace has instead, in words.

// A sampled trace has no calls, only runs of samples in which a method was seen.
export interface CallWords {
  readonly one: string;
  readonly many: string;
  readonly heading: string;
}

export function noneHere(words: CallWords): string {
  return `No ${words.many} in this range and these threads.`;
}

// A label that speaks of calls, in the words of the trace.
export function inWords(label: string, isSampled: boolean): string {
  return isSampled
    ? label.replace(/\b([Cc])all(s?)\b/g, (_, first, s) => `${first === "C" ? "R" : "r"}un${s}`)
    : label;
}

export function callWords(isSampled: boolean): CallWords {
  return isSampled
    ? { one: "run", many: "runs", heading: "Runs" }
    : { one: "call", many: "calls", heading: "Calls" };
}
