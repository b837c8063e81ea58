// Choices that touch more than one signal.

import { batch } from "@preact/signals";
import type { Measure } from "../../model/trace";
import type { Store } from "../store";

// Changes the clock; a sort by the former clock becomes one by the new clock.
export function setMeasure(store: Store, measure: Measure): void {
  batch(() => {
    const sort = store.chosenSort.peek();
    if (sort?.clock === store.measure.peek()) store.chosenSort.value = { ...sort, clock: measure };
    store.measure.value = measure;
  });
}

export function nextMeasure(store: Store): void {
  const clocks = store.info.peek()?.clocks ?? [];
  const all: Measure[] = [...clocks, ...(clocks.length > 1 ? ["wait" as const] : [])];
  const next = all[(all.indexOf(store.measure.peek()) + 1) % Math.max(1, all.length)];
  if (next !== undefined) setMeasure(store, next);
}

// Shows the Profile, with the most time first.
export function sortProfile(store: Store, key: "exclusive" | "inclusive"): void {
  store.tab.value = "profile";
  store.chosenSort.value = { key, clock: store.measure.peek(), order: "desc" };
}

// Sorts the Profile by exclusive time, or by inclusive time if it is sorted so already.
export function nextOrder(store: Store): void {
  sortProfile(store, store.sort.peek().key === "exclusive" ? "inclusive" : "exclusive");
}

// Searches for a text, and lists only what it finds.
export function searchOnly(store: Store, text: string): void {
  batch(() => {
    store.search.value = text;
    store.isOnly.value = text !== "";
  });
}

// Ends the search; the next one marks again and hides nothing.
export function clearSearch(store: Store): void {
  searchOnly(store, "");
}

// Shows the next or the previous thread alone; after the last one, all threads.
export function stepThread(store: Store, by: 1 | -1): void {
  const threads = (store.info.peek()?.threads ?? []).filter((thread) => thread.records > 0);
  const chosen = store.threads.peek();
  const now =
    chosen?.size === 1
      ? threads.findIndex((thread) => chosen.has(thread.id))
      : by > 0
        ? -1
        : threads.length;
  const next = threads[now + by];
  store.threads.value = next === undefined ? null : new Set([next.id]);
}

// Shows the levels of a thread that are the same all over the view, or makes one line of them again.
export function togglePlain(store: Store, thread: number): void {
  const next = new Set(store.plain.peek());
  if (!next.delete(thread)) next.add(thread);
  store.plain.value = next;
}

// Hides what the settings do not count as one's own code, in the view of this trace; or shows it again.
export function setMyCode(store: Store, isOn: boolean): void {
  store.mine.value = isOn ? store.settings.peek().hiddenPackages : null;
}

export function setSetting(store: Store, change: Partial<Store["settings"]["value"]>): void {
  store.settings.value = { ...store.settings.peek(), ...change };
}
