// Traces that the page keeps in the browser's own storage, so that a reload shows them again: the bytes as the user gave them,
// packed or not. All of them together are bounded, and the oldest ones go first. They stay until the user forgets them, or
// the browser does, which may refuse to keep anything.

import { MOST_KEPT_BYTES } from "../../model/page/recent";
import { openStore, settled, TRACES } from "./browser-storage";

// A trace, as a page keeps it: its name and its file.
export interface Keeping {
  readonly name: string;
  readonly file: Blob;
}

export interface KeptTrace {
  readonly id: string;
  readonly name: string;
  readonly openedSeconds: number;
  readonly file: Blob;
}

// Which traces this tab shows, the shown one first, and which ones that is compared with. They are the tab's own, and go with it.
const SHOWN = "traceview:page:shown";
const OLD = "traceview:page:old";

function tell(which: string, ids: readonly string[]): void {
  try {
    if (ids.every((id) => id === "")) sessionStorage.removeItem(which);
    else sessionStorage.setItem(which, ids.join(","));
  } catch {
    // Not kept.
  }
}

function told(which: string): string[] {
  try {
    return sessionStorage.getItem(which)?.split(",") ?? [];
  } catch {
    return [];
  }
}

const isSame = (a: Keeping, b: Keeping): boolean =>
  a.name === b.name && a.file.size === b.file.size;

export async function keptTraces(): Promise<KeptTrace[]> {
  try {
    const all = (await settled((await openStore("readonly", TRACES)).getAll())) as KeptTrace[];
    return all.sort((a, b) => b.openedSeconds - a.openedSeconds);
  } catch {
    return [];
  }
}

// Which of the kept traces give way to a new one, the latest of which stand first.
export function givingWay(known: readonly KeptTrace[], one: KeptTrace): KeptTrace[] {
  let bytes = one.file.size;
  return known.filter((other) => {
    if (isSame(other, one)) return true;
    bytes += other.file.size;
    return bytes > MOST_KEPT_BYTES;
  });
}

// Keeps the traces that this tab shows from now on, the shown one first, and those that it is compared with. A trace that is
// too long is not kept, and a reload does not show another one; of traces that look the same one copy would stand for all, so the
// shown one alone is kept.
export async function keepShown(
  [shown, ...news]: readonly [Keeping, ...Keeping[]],
  olds: readonly Keeping[],
): Promise<void> {
  keepNone();
  const all = [shown, ...news, ...olds];
  const isTold = all.every((one, ix) => all.findIndex((other) => isSame(one, other)) === ix);
  const keeping: readonly (readonly [string, readonly Keeping[]])[] = isTold
    ? [
        [OLD, olds],
        [SHOWN, [shown, ...news]],
      ]
    : [[SHOWN, [shown]]];
  // Told at once, so that it does not come behind what is shown next. Until copies are there, their ids lead to none.
  const told = keeping.map(([which, traces]) => ({ which, traces, ids: newIds(which, traces) }));
  // The old ones first, and the shown one last, so that it gives way last.
  for (const { which, traces, ids } of told)
    for (const [ix, one] of [...traces.entries()].reverse()) await keep(which, one, ids[ix] ?? "");
}

// Empty for a trace that is too long.
function newIds(which: string, traces: readonly Keeping[]): string[] {
  const ids = traces.map(({ file }) =>
    // Pages over plain HTTP have no randomUUID.
    file.size > MOST_KEPT_BYTES ? "" : crypto.getRandomValues(new Uint32Array(4)).join("-"),
  );
  tell(which, ids);
  return ids;
}

const MOST_COPIED_BYTES = 64 * 1024 * 1024; // they are in memory for a moment

// A private window keeps of a chosen file where it lies, which is no copy once the file has changed; of bytes it keeps the bytes.
async function copyOf(file: Blob): Promise<Blob> {
  return file.size > MOST_COPIED_BYTES ? file : new Blob([await file.arrayBuffer()]);
}

async function keep(which: string, { name, file }: Keeping, newest: string): Promise<void> {
  if (newest === "") return;
  const openedSeconds = Math.floor(Date.now() / 1000);
  try {
    const known = await keptTraces();
    // What is shown again has its copy's id still.
    const id = known.find((other) => isSame(other, { name, file }))?.id ?? newest;
    const ids = told(which);
    if (ids.includes(newest))
      tell(
        which,
        ids.map((one) => (one === newest ? id : one)),
      );
    const one: KeptTrace = { id, name, openedSeconds, file: await copyOf(file) };
    const gone = givingWay(known, one);
    const store = await openStore("readwrite", TRACES);
    gone.forEach((other) => store.delete(other.id));
    await settled(store.put(one));
  } catch {
    // Not kept.
  }
}

// This tab shows a trace that is not kept: the example, or one that its address names.
export function keepNone(): void {
  tell(SHOWN, []);
  tell(OLD, []);
}

export async function keptTrace(id: string): Promise<KeptTrace | null> {
  return (await keptTraces()).find((one) => one.id === id) ?? null;
}

export async function forgetTrace(id: string): Promise<void> {
  try {
    await settled((await openStore("readwrite", TRACES)).delete(id));
  } catch {
    // It was not kept.
  }
}

// The traces that this tab showed before it was loaded again; none: it is loaded for the first time, or showed none that is kept.
export function shownBefore(): string[] {
  return before(SHOWN);
}

// The traces that they were compared with.
export function oldBefore(): string[] {
  return before(OLD);
}

function before(which: string): string[] {
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return entry?.type === "reload" || entry?.type === "back_forward" ? told(which) : [];
}
