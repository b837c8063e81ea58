// The traces that the start page offers.

export interface RecentFile {
  readonly id: string;
  readonly name: string;
  readonly folder: string;
  readonly bytes: number;
  readonly openedSeconds: number;
  // By what the browser's copy of the file is forgotten; it has none where this is left out.
  readonly keptId?: string;
}

export interface StartList {
  readonly files: readonly RecentFile[];
  readonly example: { readonly name: string; readonly bytes: number } | null;
}

// The most bytes of all traces together that a browser keeps for a page without a program; a longer one is not kept.
export const MOST_KEPT_BYTES = 512 << 20;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function ago(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}

// How long ago something was, for people: "5 minutes ago", "yesterday", "2026-01-31".
export function formatAge(thenSeconds: number, nowSeconds: number): string {
  const age = nowSeconds - thenSeconds;
  if (age < MINUTE) return "just now";
  if (age < HOUR) return ago(Math.floor(age / MINUTE), "minute");
  if (age < DAY) return ago(Math.floor(age / HOUR), "hour");
  if (age < 2 * DAY) return "yesterday";
  if (age < 30 * DAY) return ago(Math.floor(age / DAY), "day");
  return new Date(thenSeconds * 1000).toISOString().slice(0, 10);
}
