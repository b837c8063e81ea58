// How fast an upload is, and how long it still takes, from what was sent in the last seconds.

interface Sent {
  readonly atMs: number;
  readonly bytes: number;
}

export type Track = readonly Sent[];

// A rate over less would jump with every piece; one over more would tell of a network that is gone.
const WINDOW_MS = 6000;
const LEAST_MS = 500;

// What was sent by then. A step back, after a connection that was lost, begins anew.
export function note(track: Track, atMs: number, bytes: number): Track {
  const last = track[track.length - 1];
  if (last !== undefined && bytes < last.bytes) return [{ atMs, bytes }];
  const first = track.findIndex((one) => atMs - one.atMs <= WINDOW_MS);
  return [...track.slice(first < 0 ? track.length : first), { atMs, bytes }];
}

// Bytes a second; null while too little is known.
export function rateOf(track: Track): number | null {
  const first = track[0];
  const last = track[track.length - 1];
  if (first === undefined || last === undefined || last.atMs - first.atMs < LEAST_MS) return null;
  return ((last.bytes - first.bytes) / (last.atMs - first.atMs)) * 1000;
}

export function leftText(bytesLeft: number, rate: number): string {
  if (rate <= 0) return "";
  const seconds = Math.ceil(bytesLeft / rate);
  if (seconds < 60) return `${seconds} s left`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min left`;
  return `${Math.round(seconds / 3600)} h left`;
}
