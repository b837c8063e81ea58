// A long list that the program sorts and the page scrolls. Rows are fetched in pages as they come
// into sight; while a new question is on its way, the old rows stay.

import { effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import type { Query } from "../../api/source";
import { isAbort, messageOf } from "../loader";

export interface Sheet<H, R> {
  readonly key: string;
  readonly head: H;
  readonly pages: ReadonlyMap<number, readonly R[]>;
}

export interface LazyList<H, R> {
  readonly sheet: ReadonlySignal<Sheet<H, R> | null>;
  readonly isLoading: ReadonlySignal<boolean>;
  readonly error: ReadonlySignal<string | null>;
  // The present question, whether it is answered yet or not.
  current(): { readonly query: Query; readonly key: string } | null;
  row(index: number): R | undefined;
  // Asks for the pages of rows [first, last) that are not there yet.
  need(first: number, last: number): void;
}

interface Page<H, R> {
  readonly head: H;
  readonly rows: readonly R[];
}

export function createLazyList<H, R>(
  question: () => Query | null,
  load: (query: Query, abort: AbortSignal) => Promise<Page<H, R>>,
  pageSize: number,
): LazyList<H, R> {
  const sheet = signal<Sheet<H, R> | null>(null);
  const isLoading = signal(false);
  const error = signal<string | null>(null);
  const pending = new Set<string>();
  let abort = new AbortController();
  let generation = 0;
  let now: { query: Query; key: string } | null = null;

  const add = (query: Query, key: string, page: number): void => {
    const mark = `${generation}#${page}`;
    if (pending.has(mark)) return;
    pending.add(mark);
    isLoading.value = true;
    load({ ...query, offset: page * pageSize, n: pageSize }, abort.signal)
      .then((answer) => {
        if (now?.key !== key) return;
        const old = sheet.peek();
        const pages = new Map(old !== null && old.key === key ? old.pages : []);
        pages.set(page, answer.rows);
        sheet.value = { key, head: answer.head, pages };
        error.value = null;
      })
      .catch((problem: unknown) => {
        if (!isAbort(problem) && now?.key === key) error.value = messageOf(problem);
      })
      .finally(() => {
        pending.delete(mark);
        isLoading.value = pending.size > 0;
      });
  };

  effect(() => {
    const query = question();
    if (query === null) return;
    const key = JSON.stringify(query);
    if (now?.key === key) return;
    untracked(() => {
      abort.abort();
      abort = new AbortController();
      pending.clear();
      generation += 1;
      now = { query, key };
      add(query, key, 0);
    });
  });

  return {
    sheet,
    isLoading,
    error,
    current: () => now,
    row: (index) => sheet.value?.pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    need: (first, last) => {
      const have = sheet.peek();
      if (now === null || have === null || have.key !== now.key) return;
      for (let page = Math.floor(first / pageSize); page * pageSize < last; page++)
        if (!have.pages.has(page)) add(now.query, now.key, page);
    },
  };
}
