// The Profile's data: pages of methods in sorted order, and the groups of opened methods.

import {
  computed,
  effect,
  signal,
  untracked,
  type ReadonlySignal,
  type Signal,
} from "@preact/signals";
import type { Query } from "../../api/source";
import {
  FIRST_GROUPS,
  insideRows,
  type GroupId,
  type Opening,
  type OpenMethod,
} from "../../model/profile/profile-rows";
import { kindOf, shownColumns, type Column, type Sort } from "../../model/profile/columns";
import { isBesideKey } from "../../model/profile/old-columns";
import { firstSort } from "../../model/profile/sort";
import { hasOverhead } from "../../model/profile/told";
import type { ProfileRow, Relations, Times } from "../../model/trace";
import { isAbort } from "../loader";
import { besideKey, besideKind, besideTrace } from "./before";
import { createProfileRows, type ProfileRows } from "./profile-rows";
import { createLazyList, type LazyList, type Sheet } from "./lazy-list";
import type { Store } from "../store";

const PAGE = 100;

export interface ProfileHead {
  readonly total: Times;
  readonly count: number;
}

export interface Profile extends LazyList<ProfileHead, ProfileRow> {
  readonly openings: ReadonlySignal<readonly Opening[]>;
  readonly columns: ReadonlySignal<readonly Column[]>;
  readonly ask: ProfileRows["ask"];
  // The index of a method in the present order; null when the method is not listed.
  indexOf(rank: number): Promise<number | null>;
  ranksInOrder(): Promise<readonly number[]>;
  isOpen(rank: number): boolean;
  toggle(rank: number): void;
  toggleGroup(rank: number, group: GroupId): void;
  openOnly(rank: number): void;
  // Methods that were marked one by one, besides those between the cursor and its anchor.
  readonly picked: Signal<ReadonlySet<number>>;
}

interface Places {
  readonly key: string;
  readonly of: ReadonlyMap<number, number>;
}

interface Known {
  readonly key: string;
  readonly relations: Relations;
}

// By what methods were, rows are sorted on the clock in use, as the columns are; without another trace as at first.
function sortOf(store: Store, old: string | null): Sort {
  const sort = store.sort.value;
  if (!isBesideKey(sort.key)) return sort;
  const measure = store.measure.value;
  return old === null ? firstSort(measure) : { ...sort, clock: measure };
}

function oldOf(value: Query[string]): string | null {
  return typeof value === "string" ? value : null;
}

export function createProfile(store: Store): Profile {
  const methods = createProfileRows(store);
  const columns = computed(() => {
    const kind = kindOf(store.info.value, besideKind(store));
    return shownColumns(store.settings.value.columns, store.measure.value, kind);
  });
  const opened = signal<ReadonlyMap<number, OpenMethod>>(new Map());
  const known = signal<ReadonlyMap<number, Known>>(new Map());
  const placed = signal<Places | null>(null);
  const pending = new Set<string>();

  const pages = createLazyList<ProfileHead, ProfileRow>(
    (): Query | null => {
      if (store.info.value === null || !store.isPictured.value) return null;
      const old = besideTrace(store);
      const sort = sortOf(store, old);
      return {
        ...store.filtered.value,
        sort: sort.key,
        by: sort.clock,
        order: sort.order,
        ...(hasOverhead(store.info.value) ? { overhead: 1 } : {}),
        ...(store.info.value.isAllocatedTold === true ? { allocated: 1 } : {}),
        old: old ?? undefined,
        beside: old === null ? undefined : besideKey(store),
      };
    },
    async ({ old, beside: _, ...query }, abort) => {
      const { rows, total, count } = await methods.ask(oldOf(old), query, abort);
      store.names.learn(rows);
      return { head: { total, count }, rows };
    },
    PAGE,
  );

  // The question of the list itself: what it is set beside is another one's.
  const current = (): { readonly query: Query; readonly key: string } | null => {
    const now = pages.current();
    if (now === null) return null;
    const { old: _, beside: __, ...query } = now.query;
    return { query, key: now.key };
  };

  // The place of each method in the order; asked for only when a method has to be found.
  const places = async (): Promise<ReadonlyMap<number, number>> => {
    const now = current();
    if (now === null) return new Map();
    const have = placed.peek();
    if (have?.key === now.key) return have.of;
    const old = oldOf(pages.current()?.query["old"]);
    const order = await methods.order(old, now.query, new AbortController().signal);
    const of = new Map(order.map((rank, ix) => [rank, ix]));
    placed.value = { key: now.key, of };
    return of;
  };

  const indexIn = (rank: number, sheet: Sheet<ProfileHead, ProfileRow>): number | null => {
    const have = placed.value;
    if (have?.key === sheet.key) return have.of.get(rank) ?? null;
    for (const [page, rows] of sheet.pages) {
      const ix = rows.findIndex((row) => row.rank === rank);
      if (ix >= 0) return page * PAGE + ix;
    }
    return null;
  };

  const fetchRelations = (rank: number, scope: Query, key: string): void => {
    const mark = `${key}@${rank}`;
    if (known.peek().get(rank)?.key === key || pending.has(mark)) return;
    pending.add(mark);
    store.api
      .callers({ ...scope, method: rank }, new AbortController().signal)
      .then((relations) => {
        for (const group of [relations.callers, relations.callees]) store.names.learn(group);
        known.value = new Map(known.peek()).set(rank, { key, relations });
      })
      .catch(store.report)
      .finally(() => pending.delete(mark));
  };

  // The groups of opened methods are asked for again when the range, the threads or the clock
  // change.
  effect(() => {
    const ranks = [...opened.value.keys()];
    const scope = store.listed.value;
    const sheet = pages.sheet.value;
    untracked(() => {
      for (const rank of ranks) fetchRelations(rank, scope, JSON.stringify(scope));
      if (sheet !== null && ranks.some((rank) => indexIn(rank, sheet) === null))
        places().catch((problem: unknown) => isAbort(problem) || store.report(problem));
    });
  });

  const openings = computed((): Opening[] => {
    const sheet = pages.sheet.value;
    if (sheet === null) return [];
    const list: Opening[] = [];
    for (const open of opened.value.values()) {
      const index = indexIn(open.rank, sheet);
      const relations = known.value.get(open.rank)?.relations ?? null;
      if (index !== null) list.push({ index, rows: insideRows(open, relations) });
    }
    return list.sort((a, b) => a.index - b.index);
  });

  const setOpen = (rank: number, groups: ReadonlySet<GroupId> | null): void => {
    const next = new Map(opened.peek());
    if (groups === null) next.delete(rank);
    else next.set(rank, { rank, groups });
    opened.value = next;
  };

  return {
    ...pages,
    ask: methods.ask,
    current,
    openings,
    columns,
    indexOf: async (rank) => {
      const sheet = pages.sheet.peek();
      const isCurrent = sheet !== null && sheet.key === pages.current()?.key;
      return (isCurrent ? indexIn(rank, sheet) : null) ?? (await places()).get(rank) ?? null;
    },
    ranksInOrder: async () => [...(await places()).keys()],
    picked: signal<ReadonlySet<number>>(new Set()),
    isOpen: (rank) => opened.value.has(rank),
    toggle: (rank) => setOpen(rank, opened.peek().has(rank) ? null : new Set(FIRST_GROUPS)),
    toggleGroup: (rank, group) => {
      const groups = new Set(opened.peek().get(rank)?.groups ?? []);
      if (!groups.delete(group)) groups.add(group);
      setOpen(rank, groups);
    },
    openOnly: (rank) => (opened.value = new Map([[rank, { rank, groups: new Set(FIRST_GROUPS) }]])),
  };
}
