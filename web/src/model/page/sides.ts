// Which of several files are the old side: what was changed before the longest pause between any two of them.

interface TimedFile {
  readonly lastModified: number;
}

// The files in the order of time.
export function inTime<T extends TimedFile>(files: readonly T[]): T[] {
  return [...files].sort((a, b) => a.lastModified - b.lastModified);
}

// How many of the files, in the order of time, are the old ones; half of them where all are of one moment. Either side has one.
export function oldCount(files: readonly TimedFile[]): number {
  const pauses = files.slice(1).map((file, ix) => {
    const before = files[ix]?.lastModified ?? 0;
    return file.lastModified - before;
  });
  const longest = Math.max(0, ...pauses);
  return longest === 0 ? Math.floor(files.length / 2) : pauses.indexOf(longest) + 1;
}

// Why these sides cannot be compared; null: they can.
export function sidesProblem(old: number, count: number): string | null {
  if (old === 0) return "Mark those that are old.";
  return old === count ? "One must be new: unmark it." : null;
}
