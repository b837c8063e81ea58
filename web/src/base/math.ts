// Small arithmetic that several folders need.

export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), Math.max(low, high));
}

export function at(column: ArrayLike<number>, ix: number): number {
  return column[ix] ?? 0;
}

// The first index in low..high for which `isPast` holds; `isPast` must turn true once and stay so.
export function firstWhere(low: number, high: number, isPast: (ix: number) => boolean): number {
  let a = low;
  let b = high;
  while (a < b) {
    const middle = (a + b) >> 1;
    if (isPast(middle)) b = middle;
    else a = middle + 1;
  }
  return a;
}

export function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

// A 32-bit FNV-1a hash, for colours that must not change between two openings.
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}
