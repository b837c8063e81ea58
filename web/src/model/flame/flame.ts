// The boxes of the flame graph, in columns. Places and widths are in units of the measure in use,
// so that the width of the root is its time.

// What it takes to walk over boxes and to search in them. `rank` tells boxes of one name by one number.
export interface FlameBoxes {
  readonly root: number;
  readonly x: Float64Array;
  readonly value: Float64Array;
  readonly rank: Uint32Array;
  readonly depth: Uint32Array;
  readonly parent: Uint32Array;
  // The depth that the graph begins at; without it 0. Callers of a method are above it.
  readonly bottom?: number;
}

export interface FlameAnswer extends FlameBoxes {
  readonly total: number;
  readonly dropped: number;
  readonly depths: number;
  readonly self: Float64Array;
  readonly calls: Uint32Array;
}

export const FLAME_PITCH = 19;
export const FLAME_BOX_HEIGHT = 18;
export const NO_PARENT = 0xffffffff;

// The box under a point, or null. `y` counts from the top of the first depth.
export function flameBoxAt(
  flame: FlameBoxes & { readonly depths: number },
  x: number,
  y: number,
  width: number,
): number | null {
  const depth = Math.floor(y / FLAME_PITCH);
  if (depth < 0 || depth >= flame.depths || flame.root <= 0) return null;
  const value = (x / Math.max(1, width)) * flame.root;
  for (let ix = 0; ix < flame.x.length; ix++) {
    if (flame.depth[ix] !== depth) continue;
    const from = flame.x[ix] ?? 0;
    if (value >= from && value < from + (flame.value[ix] ?? 0)) return ix;
  }
  return null;
}

// What the outermost level leaves of the width: boxes that were too thin to be told.
export function flameRemainder(flame: FlameBoxes): { readonly x: number; readonly value: number } {
  let end = 0;
  for (let ix = 0; ix < flame.x.length; ix++)
    if (flame.depth[ix] === 0) end = Math.max(end, (flame.x[ix] ?? 0) + (flame.value[ix] ?? 0));
  return { x: end, value: Math.max(0, flame.root - end) };
}

// Where to scroll so that a box of the method shows, the widest one in the middle. Null: one shows
// already, or the graph has none.
export function scrollToMethod(
  flame: FlameBoxes,
  rank: number,
  scrollTop: number,
  height: number,
): number | null {
  let widest = -1;
  for (let ix = 0; ix < flame.x.length; ix++) {
    if (flame.rank[ix] !== rank) continue;
    const y = (flame.depth[ix] ?? 0) * FLAME_PITCH;
    if (y >= scrollTop && y + FLAME_PITCH <= scrollTop + height) return null;
    if (widest < 0 || (flame.value[ix] ?? 0) > (flame.value[widest] ?? 0)) widest = ix;
  }
  const middle = (flame.depth[widest] ?? 0) * FLAME_PITCH - (height - FLAME_PITCH) / 2;
  return widest < 0 ? null : Math.max(0, middle);
}

// The ranks from the root of the graph shown to a box.
export function flamePath(flame: FlameBoxes, ix: number): number[] {
  const path: number[] = [];
  let box: number | undefined = ix;
  while (box !== undefined && box !== NO_PARENT && path.length <= flame.x.length) {
    path.push(flame.rank[box] ?? 0);
    box = flame.parent[box];
  }
  return path.reverse();
}

// The neighbour of a box for the arrow keys: its caller, its largest callee, or a sibling.
export type FlameStep = "parent" | "child" | "next" | "previous";

export function flameNeighbour(flame: FlameBoxes, ix: number, step: FlameStep): number | null {
  const parent = flame.parent[ix] ?? NO_PARENT;
  const depth = flame.depth[ix] ?? 0;
  const bottom = flame.bottom ?? 0;
  // From the bottom up and from callers on, what is above stands on the box.
  if (bottom > 0 && (step === "parent" || step === "child") && depth <= bottom) {
    const isUp = step === "parent";
    if (!isUp && depth < bottom) return parent === NO_PARENT ? null : parent;
    return largest(
      flame,
      (other) =>
        flame.parent[other] === ix && (flame.depth[other] ?? 0) === depth + (isUp ? -1 : 1),
    );
  }
  switch (step) {
    case "parent":
      return parent === NO_PARENT ? null : parent;
    case "child":
      return largest(flame, (other) => flame.parent[other] === ix);
    case "next":
    case "previous": {
      const here = flame.x[ix] ?? 0;
      const side = step === "next" ? 1 : -1;
      let best: number | null = null;
      for (let other = 0; other < flame.x.length; other++) {
        if (flame.depth[other] !== flame.depth[ix] || flame.parent[other] !== parent) continue;
        const gap = ((flame.x[other] ?? 0) - here) * side;
        if (gap > 0 && (best === null || gap < ((flame.x[best] ?? 0) - here) * side)) best = other;
      }
      return best;
    }
  }
}

function largest(flame: FlameBoxes, isWanted: (ix: number) => boolean): number | null {
  let best: number | null = null;
  for (let ix = 0; ix < flame.x.length; ix++)
    if (isWanted(ix) && (best === null || (flame.value[ix] ?? 0) > (flame.value[best] ?? 0)))
      best = ix;
  return best;
}

type ZoomCrumb<Step> =
  | { readonly kind: "gap" }
  // The end of the path's first `length` steps.
  | { readonly kind: "step"; readonly step: Step; readonly length: number };

const LAST_STEPS = 3;

// The last steps of the path to the box that is zoomed to: they tell the most. A gap stands for the steps before.
export function zoomCrumbs<Step>(path: readonly Step[]): ZoomCrumb<Step>[] {
  const first = Math.max(0, path.length - LAST_STEPS);
  const steps = path
    .slice(first)
    .map((step, ix): ZoomCrumb<Step> => ({ kind: "step", step, length: first + ix + 1 }));
  return first > 0 ? [{ kind: "gap" }, ...steps] : steps;
}

// The value that boxes of the given ranks cover, counting a box inside another of them once. Only the boxes from `first`
// to before `end` count.
export function matchedValue(
  flame: FlameBoxes,
  ranks: ReadonlySet<number>,
  first = 0,
  end = flame.x.length,
): number {
  let total = 0;
  const covered = new Uint8Array(flame.x.length);
  for (let ix = first; ix < end; ix++) {
    const parent = flame.parent[ix] ?? NO_PARENT;
    const inherits = parent !== NO_PARENT && covered[parent] === 1;
    const matches = ranks.has(flame.rank[ix] ?? -1);
    if (inherits || matches) covered[ix] = 1;
    if (matches && !inherits) total += flame.value[ix] ?? 0;
  }
  return total;
}
