// Traces that the page keeps in the browser's own storage, so that a reload shows them again: the bytes as the user gave them,
// packed or not. All of them together are bounded, and the oldest ones go first. They stay until the user forgets them, or
// the browser does, which may refuse to keep anything.

import { MOST_KEPT_BYTES } from "../../model/page/recent";
import { openStore, settled, TRACES } from "./browser-storage";

// A trace, as a page keeps it: its name and its file.
interface Keeping {
  readonly name: string;
  readonly file: Blob;
}

export interface KeptTrace {
  readonly id: string;
  readonly name: string;
  readonly openedSeconds: number;
  readonly file: Blob;
}

// Which trace this tab shows, and which one that is compared with. They are the tab's own, and go with it.
const SHOWN = "traceview:page:shown";
const OLD = "traceview:page:old";

function tell(which: string, id: string | null): void {
  try {
    if (id === null) sessionStorage.removeItem(which);
    else sessionStorage.setItem(which, id);
  } catch {
    // Not kept.
  }
}

function told(which: string): string | null {
  try {
    return sessionStorage.getItem(which);
  } catch {
    return null;
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

// Keeps the trace that this tab shows from now on, and the one that it is compared with. A trace that is too long is not kept,
// and a reload does not show another one.
export async function keepShown(shown: Keeping, old: Keeping | null): Promise<void> {
  keepNone();
  // Of two that look the same one copy is kept, which shall not stand for both.
  const other = old !== null && !isSame(old, shown) ? old : null;
  // Told at once, so that it does not come behind what is shown next. Until a copy is there, its id leads to none.
  const ids = [other === null ? null : newId(OLD, other), newId(SHOWN, shown)];
  // The old one first, so that it gives way first.
  if (other !== null) await keep(OLD, other, ids[0] ?? null);
  await keep(SHOWN, shown, ids[1] ?? null);
}

function newId(which: string, { file }: Keeping): string | null {
  if (file.size > MOST_KEPT_BYTES) return null;
  // Pages over plain HTTP have no randomUUID.
  const id = crypto.getRandomValues(new Uint32Array(4)).join("-");
  tell(which, id);
  return id;
}

async function keep(which: string, { name, file }: Keeping, newest: string | null): Promise<void> {
  if (newest === null) return;
  const openedSeconds = Math.floor(Date.now() / 1000);
  try {
    const known = await keptTraces();
    // What is shown again has its copy's id still.
    const id = known.find((other) => isSame(other, { name, file }))?.id ?? newest;
    if (told(which) === newest) tell(which, id);
    const one: KeptTrace = { id, name, openedSeconds, file };
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
  tell(SHOWN, null);
  tell(OLD, null);
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

// The trace that this tab showed before it was loaded again; null: it is loaded for the first time, or showed none that is kept.
export function shownBefore(): string | null {
  return before(SHOWN);
}

// The trace that it was compared with.
export function oldBefore(): string | null {
  return before(OLD);
}

function before(which: string): string | null {
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return entry?.type === "reload" || entry?.type === "back_forward" ? told(which) : null;
}
