// The traces that a page alone holds at once: one that was opened, those that it is compared with, and other runs of its own side.

import { OPENED_PLACE, type MappingFile, type OtherTrace } from "../../engine/messages";
import type { Runs } from "../../model/changes/runs";
import type { TellProgress } from "./engine-host";
import type { TraceFile } from "./engine-worker";
import { keepNone, keepShown, type Keeping } from "./kept-traces";
import type { Wish } from "./trace-files";

// The old side, which may be empty, and the new one, whose first trace is the one that is opened.
export interface Sides<T> {
  readonly old: readonly T[];
  readonly new: readonly [T, ...T[]];
}

// The wishes of a new side.
export function wishesOf(wishes: readonly Wish[]): Sides<Wish>["new"] {
  const [first, ...rest] = wishes;
  if (first === undefined) throw new Error("no file is there to be opened");
  return [first, ...rest];
}

// A trace that was read: what was wished for, and what came of it.
export interface Held {
  readonly wish: Wish;
  readonly file: TraceFile;
  readonly mapping: MappingFile | undefined;
}

// What is to be shown next: traces that were read before, or are to be had.
export interface Request {
  readonly sides: Sides<Held | Wish>;
  // Of the one that is opened.
  readonly mapping?: MappingFile;
}

export const alone = (wish: Wish): Request => ({ sides: { old: [], new: [wish] } });

// Where each trace is in the engine: the opened one, the old ones, other new ones.
function placesOf({ old, new: now }: Sides<unknown>): Record<keyof Runs, number[]> {
  const places = old.map((_, ix) => OPENED_PLACE + 1 + ix);
  const others = now.slice(1).map((_, ix) => OPENED_PLACE + 1 + places.length + ix);
  return { old: places, new: [OPENED_PLACE, ...others] };
}

// Those beside the opened one, in the order in which they are read. Their mappings were taken already.
export function othersOf(sides: Sides<Held>): OtherTrace[] {
  const places = placesOf(sides);
  const of = (side: keyof Runs): OtherTrace[] =>
    sides[side].flatMap(({ wish, file, mapping }, ix) => {
      const place = places[side][ix] ?? OPENED_PLACE;
      if (place === OPENED_PLACE) return [];
      if (!(file instanceof Blob))
        throw new Error("a page compares no trace that is a part of itself");
      const known = mapping === undefined ? {} : { mapping: { ...mapping, isForced: true } };
      return [{ place, isOld: side === "old", name: wish.name, file, ...known }];
    });
  return [...of("old"), ...of("new")];
}

// The names of all in questions, where there are more than one of each side; null: there are not.
export function runsOf(sides: Sides<unknown>): Runs | null {
  if (sides.old.length + sides.new.length <= 2) return null;
  const { old, new: now } = placesOf(sides);
  return { old: old.map(nameOfPlace), new: now.map(nameOfPlace) };
}

// A digit.
const BASE = 32;

export function nameOfPlace(place: number): string {
  return place.toString(BASE);
}

export function placeOfName(name: string): number {
  return Number.parseInt(name, BASE);
}

// The trace of the new side in that place; undefined: there is none.
export function newIn(sides: Sides<Held>, place: number): Held | undefined {
  return sides.new[placesOf(sides).new.indexOf(place)];
}

// The same sides with that trace of the new one first.
export function openedFirst(sides: Sides<Held>, first: Held): Sides<Held> {
  return { old: sides.old, new: [first, ...sides.new.filter((one) => one !== first)] };
}

async function taken(one: Held | Wish, signal: AbortSignal, tell: TellProgress): Promise<Held> {
  if ("file" in one) return one;
  return { wish: one, file: await one.take(signal, tell), mapping: undefined };
}

// One after the other, so that what is told of their progress is of one.
export async function takenAll(
  ones: readonly (Held | Wish)[],
  signal: AbortSignal,
  tell: (name: string) => TellProgress,
): Promise<Held[]> {
  const all: Held[] = [];
  for (const one of ones)
    all.push(await taken(one, signal, tell("file" in one ? one.wish.name : one.name)));
  return all;
}

// For a reload. Of several traces all are kept or the shown one alone.
export function keepSides({ old, new: [opened, ...news] }: Sides<Held>): void {
  const copyOf = ({ wish, file }: Held): readonly Keeping[] =>
    wish.isKept === true && file instanceof Blob ? [{ name: wish.name, file }] : [];
  const [shown] = copyOf(opened);
  if (shown === undefined) return keepNone();
  const [olds, others] = [old.flatMap(copyOf), news.flatMap(copyOf)];
  const isWhole = olds.length === old.length && others.length === news.length;
  void keepShown([shown, ...(isWhole ? others : [])], isWhole ? olds : []);
}

export const sameWishes = (a: Sides<Held>, b: Sides<Held> | null): boolean =>
  b !== null &&
  a.old.length === b.old.length &&
  a.new.length === b.new.length &&
  a.old.every(({ wish }, ix) => wish === b.old[ix]?.wish) &&
  a.new.every(({ wish }, ix) => wish === b.new[ix]?.wish);
