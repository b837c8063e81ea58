// The methods whose rows are marked in the Profile: between the cursor and its anchor, with Shift, and one by one, with Ctrl.

import { sliceRows } from "../../model/profile/profile-rows";
import type { Panels } from "./panels";

type Of = { readonly panels: Panels };

// The places of the marked methods in the present order, openings left out.
function markedIndexes({ panels }: Of): number[] {
  const { profile, tables } = panels;
  const { at, anchor } = tables.profile.cursor.peek();
  const count = profile.sheet.peek()?.head.count ?? 0;
  if (at < 0) return [];
  const low = Math.min(at, anchor);
  const high = Math.max(at, anchor) + 1;
  return sliceRows(count, profile.openings.peek(), low, high).flatMap((row) =>
    row.kind === "method" ? row.index : [],
  );
}

// How many methods are marked at least: rows that are marked both ways count twice.
export function countMarked(of: Of): number {
  const { picked } = of.panels.profile;
  return picked.peek().size > 0 ? picked.peek().size : markedIndexes(of).length;
}

// The ranks of the marked methods. Rows that were never in sight are known by the order alone.
export async function markedRanks(of: Of): Promise<readonly number[]> {
  const { profile } = of.panels;
  if (profile.picked.peek().size > 0) return [...profile.picked.peek()];
  const indexes = markedIndexes(of);
  const known = indexes.map((index) => profile.row(index)?.rank);
  if (!known.includes(undefined)) return known.flatMap((rank) => rank ?? []);
  const order = await profile.ranksInOrder();
  return indexes.flatMap((index) => order[index] ?? []);
}

// From now on the rows stay marked that the cursor marks.
export function keepMarked(of: Of): void {
  const { picked, row } = of.panels.profile;
  if (picked.peek().size === 0)
    picked.value = new Set(markedIndexes(of).flatMap((index) => row(index)?.rank ?? []));
}

// Ctrl and a press: the method is marked besides those that are, or not any more.
export function pickRow(of: Of, rank: number): void {
  const { picked } = of.panels.profile;
  keepMarked(of);
  const next = new Set(picked.peek());
  if (!next.delete(rank)) next.add(rank);
  picked.value = next;
}

// A press without Ctrl, and every key without it that moves the cursor, mark anew.
export function forgetPicked(of: Of): void {
  if (of.panels.profile.picked.peek().size > 0) of.panels.profile.picked.value = new Set();
}

// A press on a row: it alone is marked, with Shift those up to it, with Ctrl it besides the others. `rank` is of a row of a method.
export function markRow(of: Of, index: number, rank: number | undefined, event: MouseEvent): void {
  const { cursor } = of.panels.tables.profile;
  if ((event.ctrlKey || event.metaKey) && rank !== undefined) return pickRow(of, rank);
  forgetPicked(of);
  const { anchor } = cursor.peek();
  cursor.value = { at: index, anchor: event.shiftKey && anchor >= 0 ? anchor : index };
}
