// What a site knows of one of its traces.

export type TraceState = "queued" | "processing" | "ready" | "failed";

export interface SiteTrace {
  readonly id: string;
  readonly file: string;
  readonly title: string;
  readonly note: string;
  readonly labels: readonly (readonly [string, string])[];
  readonly bytes: number;
  readonly createdS: number;
  // null: it is kept until it is deleted.
  readonly expiresS: number | null;
  readonly state: TraceState;
  // Why it has failed; "" else.
  readonly reason: string;
  // Whether everybody with the link may fetch the file.
  readonly isShared: boolean;
  readonly isListed: boolean;
  // Whether the token that came with the question is the owner's.
  readonly isOwner: boolean;
}

// The site that the viewer's page is a part of.
export interface Site {
  // The base path: "" or "/traces".
  readonly base: string;
  readonly hasList: boolean;
  readonly trace: SiteTrace;
}

// What an owner can change, by the names of the form's fields.
export type TraceFields = Readonly<Record<string, string>>;

export const LABELS: readonly (readonly [string, string])[] = [
  ["app", "App"],
  ["build", "Build"],
  ["device", "Device"],
];

export const LIVES: readonly (readonly [string, string])[] = [
  ["", "as it is"],
  ["1d", "1 day"],
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["90d", "90 days"],
  ["365d", "365 days"],
  ["never", "until it is deleted"],
];

export function labelOf(trace: SiteTrace, key: string): string {
  return trace.labels.find(([one]) => one === key)?.[1] ?? "";
}

export function nameOf(trace: SiteTrace): string {
  return trace.title === "" ? trace.file : trace.title;
}

const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

// "expires in 89 days", in whole units that are surely left.
export function lifeText(expiresS: number | null, nowS: number): string {
  if (expiresS === null) return "kept until it is deleted";
  const left = expiresS - nowS;
  if (left <= 0) return "expired";
  if (left < 2 * MINUTE_S) return "expires within minutes";
  if (left < 2 * HOUR_S) return `expires in ${Math.floor(left / MINUTE_S)} minutes`;
  if (left < 2 * DAY_S) return `expires in ${Math.floor(left / HOUR_S)} hours`;
  return `expires in ${Math.floor(left / DAY_S)} days`;
}
