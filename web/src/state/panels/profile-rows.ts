// The methods of the Profile, each beside what it was in the trace that this one is compared with, and in its order.

import { untracked } from "@preact/signals";
import type { Query } from "../../api/source";
import { besideValue, isBesideKey, type BesideKey } from "../../model/profile/old-columns";
import { firstSort } from "../../model/profile/sort";
import { sortRows } from "../../model/table/table";
import type { Measure, ProfilePage, ProfileRow } from "../../model/trace";
import { isAbort } from "../loader";
import { askBefore, besideKey } from "./before";
import type { Store } from "../store";

export interface ProfileRows {
  // The page of methods that the query asks for, beside those of the trace `old`; null: beside none.
  ask(old: string | null, query: Query, abort: AbortSignal): Promise<ProfilePage>;
  // The ranks of all methods in the order of the query.
  order(old: string | null, query: Query, abort: AbortSignal): Promise<readonly number[]>;
}

const MEASURES: readonly Measure[] = ["wall", "cpu", "wait"];

// The program sorts by numbers of its own trace. By what they were all methods are asked for, and sorted here.
export function createProfileRows(store: Store): ProfileRows {
  let kept: { readonly key: string; readonly page: Promise<ProfilePage> } | null = null;

  const askPage = async (
    old: string | null,
    query: Query,
    abort: AbortSignal,
  ): Promise<ProfilePage> => {
    const page = await store.api.top(query, abort);
    if (old === null) return page;
    const { from, to, threads, clock, hide, idle } = query;
    const scope = { from, to, threads, clock, hide, idle };
    const ranks = page.rows.map(({ rank }) => rank);
    const before = await askBefore(store, old, scope, ranks, abort);
    return { ...page, rows: page.rows.map((row) => ({ ...row, before: before(row.rank) })) };
  };

  const measureOf = (query: Query): Measure =>
    MEASURES.find((known) => known === query["by"]) ?? "wall";

  // The query as the program takes it.
  const known = (query: Query): Query => {
    const first = firstSort(measureOf(query));
    return { ...query, sort: first.key, by: first.clock, order: first.order };
  };

  const whole = (old: string, query: Query, abort: AbortSignal): Promise<ProfilePage> => {
    const { offset: _, n: __, ...all } = known(query);
    const key = JSON.stringify([old, all, untracked(() => besideKey(store))]);
    if (kept?.key === key) return kept.page;
    const page = askPage(old, { ...all, n: 0 }, abort);
    const mine = { key, page };
    kept = mine;
    page.catch(() => {
      if (kept === mine) kept = null;
    });
    return page;
  };

  // What another question waited for and gave up is asked for again.
  const wholeStill = async (
    old: string,
    query: Query,
    abort: AbortSignal,
  ): Promise<ProfilePage> => {
    for (;;) {
      try {
        return await whole(old, query, abort);
      } catch (problem) {
        if (!isAbort(problem) || abort.aborted) throw problem;
      }
    }
  };

  const sorted = async (
    old: string,
    query: Query,
    key: BesideKey,
    abort: AbortSignal,
  ): Promise<ProfilePage> => {
    const page = await wholeStill(old, query, abort);
    const measure = measureOf(query);
    const column = { id: key, value: (row: ProfileRow) => besideValue(row, key, measure) };
    const order = query["order"] === "asc" ? "asc" : "desc";
    return { ...page, rows: sortRows(page.rows, [column], { column: key, order }) };
  };

  return {
    ask: async (old, query, abort) => {
      const { sort } = query;
      if (!isBesideKey(sort)) return askPage(old, query, abort);
      if (old === null) return askPage(old, known(query), abort);
      const page = await sorted(old, query, sort, abort);
      const first = Number(query["offset"] ?? 0);
      const count = Number(query["n"] ?? 0) || page.rows.length;
      return { ...page, rows: page.rows.slice(first, first + count) };
    },
    order: async (old, query, abort) => {
      const { sort } = query;
      if (!isBesideKey(sort) || old === null) return store.api.order(query, abort);
      return (await sorted(old, query, sort, abort)).rows.map(({ rank }) => rank);
    },
  };
}
