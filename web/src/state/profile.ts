// The Profile's data: pages of methods in sorted order, and the groups of opened methods.

import {
  computed,
  effect,
  signal,
  untracked,
  type ReadonlySignal,
  type Signal,
} from "@preact/signals";
import type { Query } from "../api/client";
import {
  insideRows,
  FIRST_GROUPS,
  type GroupId,
  type OpenMethod,
  type Opening,
} from "../model/profile-rows";
import type { ProfileRow, Relations, Times } from "../model/trace";
import { isAbort } from "./loader";
import type { Store } from "./store";

const PAGE = 100;

export interface Sheet {
  readonly key: string;
  readonly query: Query;
  readonly total: Times;
  readonly count: number;
  readonly pages: ReadonlyMap<number, readonly ProfileRow[]>;
  // Index of each rank in the sorted order; asked for only when something must be found.
  readonly places: ReadonlyMap<number, number> | null;
}

export interface Profile {
  readonly sheet: ReadonlySignal<Sheet | null>;
  readonly isLoading: ReadonlySignal<boolean>;
  readonly error: ReadonlySignal<string | null>;
  readonly openings: ReadonlySignal<readonly Opening[]>;
  readonly filter: Signal<string>;
  row(index: number): ProfileRow | undefined;
  need(first: number, last: number): void;
  // The index of a method in the order shown; null when it is not listed.
  indexOf(rank: number): Promise<number | null>;
  ranksInOrder(): Promise<readonly number[]>;
  isOpen(rank: number): boolean;
  toggle(rank: number): void;
  toggleGroup(rank: number, group: GroupId): void;
  openOnly(rank: number): void;
}

interface Known {
  readonly key: string;
  readonly relations: Relations;
}

export function createProfile(store: Store): Profile {
  const sheet = signal<Sheet | null>(null);
  const isLoading = signal(false);
  const error = signal<string | null>(null);
  const filter = signal("");
  const opened = signal<ReadonlyMap<number, OpenMethod>>(new Map());
  const relations = signal<ReadonlyMap<number, Known>>(new Map());
  const pending = new Set<string>();
  let abort = new AbortController();

  const query = computed((): Query | null => {
    if (store.info.value === null) return null;
    const sort = store.sort.value;
    return {
      ...store.scope.value,
      sort: sort.key,
      by: sort.clock,
      order: sort.order,
      ...(filter.value === "" ? {} : { match: filter.value }),
    };
  });

  const addPage = (wanted: Query, key: string, page: number): void => {
    const mark = `${key}#${page}`;
    if (pending.has(mark)) return;
    pending.add(mark);
    isLoading.value = true;
    store.api
      .top({ ...wanted, offset: page * PAGE, n: PAGE }, abort.signal)
      .then((answer) => {
        store.names.learn(answer.rows);
        const old = sheet.peek();
        const isSame = old !== null && old.key === key;
        const pages = new Map(isSame ? old.pages : []);
        pages.set(page, answer.rows);
        sheet.value = {
          key,
          query: wanted,
          total: answer.total,
          count: answer.count,
          pages,
          places: isSame ? old.places : null,
        };
        error.value = null;
      })
      .catch((problem: unknown) => {
        if (!isAbort(problem))
          error.value = problem instanceof Error ? problem.message : String(problem);
      })
      .finally(() => {
        pending.delete(mark);
        isLoading.value = pending.size > 0;
      });
  };

  const current = (): { wanted: Query; key: string } | null => {
    const wanted = query.peek();
    return wanted === null ? null : { wanted, key: JSON.stringify(wanted) };
  };

  // A new question: the first page comes first, the rest as it scrolls into sight.
  effect(() => {
    const wanted = query.value;
    if (wanted === null) return;
    untracked(() => {
      abort.abort();
      abort = new AbortController();
      pending.clear();
      addPage(wanted, JSON.stringify(wanted), 0);
    });
  });

  const places = async (): Promise<ReadonlyMap<number, number>> => {
    const now = current();
    if (now === null) return new Map();
    const have = sheet.peek();
    if (have !== null && have.key === now.key && have.places !== null) return have.places;
    const order = await store.api.order(now.wanted, abort.signal);
    const found = new Map(order.map((rank, ix) => [rank, ix]));
    const late = sheet.peek();
    if (late !== null && late.key === now.key) sheet.value = { ...late, places: found };
    return found;
  };

  // Groups of opened methods follow the range, the threads and the clock.
  effect(() => {
    const ranks = [...opened.value.keys()];
    const scope = store.scope.value;
    const key = JSON.stringify(scope);
    untracked(() => {
      for (const rank of ranks) {
        const mark = `${key}@${rank}`;
        if (relations.peek().get(rank)?.key === key || pending.has(mark)) continue;
        pending.add(mark);
        store.api
          .callers({ ...scope, method: rank }, new AbortController().signal)
          .then((answer) => {
            for (const group of [answer.callers, answer.callees]) store.names.learn(group);
            relations.value = new Map(relations.peek()).set(rank, { key, relations: answer });
          })
          .catch(store.report)
          .finally(() => pending.delete(mark));
      }
      if (ranks.length > 0 && sheet.peek()?.places === null)
        places().catch((problem: unknown) => isAbort(problem) || store.report(problem));
    });
  });

  const indexNow = (rank: number, now: Sheet): number | null => {
    const known = now.places?.get(rank);
    if (known !== undefined) return known;
    for (const [page, rows] of now.pages) {
      const ix = rows.findIndex((row) => row.rank === rank);
      if (ix >= 0) return page * PAGE + ix;
    }
    return null;
  };

  const openings = computed((): Opening[] => {
    const now = sheet.value;
    if (now === null) return [];
    const list: Opening[] = [];
    for (const open of opened.value.values()) {
      const index = indexNow(open.rank, now);
      if (index !== null)
        list.push({
          index,
          rows: insideRows(open, relations.value.get(open.rank)?.relations ?? null),
        });
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
    sheet,
    isLoading,
    error,
    openings,
    filter,
    row: (index) => sheet.value?.pages.get(Math.floor(index / PAGE))?.[index % PAGE],
    need: (first, last) => {
      const now = current();
      if (now === null || sheet.peek()?.key !== now.key) return;
      for (let page = Math.floor(first / PAGE); page * PAGE < last; page++)
        if (!(sheet.peek()?.pages.has(page) ?? false)) addPage(now.wanted, now.key, page);
    },
    indexOf: async (rank) => {
      const now = sheet.peek();
      const near = now === null || now.key !== current()?.key ? null : indexNow(rank, now);
      return near ?? (await places()).get(rank) ?? null;
    },
    ranksInOrder: async () => [...(await places()).keys()],
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
