// Traces that the page keeps in the browser's own storage, so that a reload shows them again: the bytes as the user gave them,
// packed or not. All of them together are bounded, and the oldest ones go first. They stay until the user forgets them, or
// the browser does, which may refuse to keep anything.

import { MOST_KEPT_BYTES } from "../../model/page/recent";
import { openStore, settled, TRACES } from "./browser-storage";

export interface KeptTrace {
  readonly id: string;
  readonly name: string;
  readonly openedSeconds: number;
  readonly file: Blob;
}

// Which trace this tab shows. It is the tab's own, and goes with it.
const SHOWN = "traceview:page:shown";

function tell(id: string | null): void {
  try {
    if (id === null) sessionStorage.removeItem(SHOWN);
    else sessionStorage.setItem(SHOWN, id);
  } catch {
    // Not kept.
  }
}

const isSame = (a: KeptTrace, b: KeptTrace): boolean =>
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

// Keeps the trace that this tab shows from now on. A trace that is too long is not kept, and a reload does not show another one.
export async function keepTrace(name: string, file: Blob): Promise<void> {
  tell(null);
  if (file.size > MOST_KEPT_BYTES) return;
  const openedSeconds = Math.floor(Date.now() / 1000);
  // Pages over plain HTTP have no randomUUID.
  const id = crypto.getRandomValues(new Uint32Array(4)).join("-");
  const one: KeptTrace = { id, name, openedSeconds, file };
  // At once, so that it does not come behind what is shown next. Until the copy is there, it leads to none.
  tell(id);
  try {
    const gone = givingWay(await keptTraces(), one);
    const store = await openStore("readwrite", TRACES);
    gone.forEach((other) => store.delete(other.id));
    await settled(store.put(one));
  } catch {
    // Not kept.
  }
}

// This tab shows a trace that is not kept: the example, or one that its address names.
export function keepNone(): void {
  tell(null);
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
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (entry?.type !== "reload" && entry?.type !== "back_forward") return null;
  try {
    return sessionStorage.getItem(SHOWN);
  } catch {
    return null;
  }
}
