// What the search finds in the range and the threads chosen: the methods in the order of the
// Profile, what they took together, and the threads of that name. Walking goes through both.

import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import { panRange } from "../../base/time";
import { matcherOf } from "../../model/text-pattern";
import { threadLabel, type FoundPage, type Thread } from "../../model/trace";
import { askCall } from "../levels";
import { createLoader, isAbort, settled, type Loaded } from "../loader";
import type { SelectActions } from "./select-actions";
import type { Store } from "../store";
import type { ViewActions } from "./view-actions";

// The most methods that are listed by name; walking reaches all of them.
const LISTED = 100;
const TYPING_MS = 120;

export interface Found {
  readonly answer: ReadonlySignal<Loaded<FoundPage>>;
  readonly threads: ReadonlySignal<readonly Thread[]>;
  // The place in the list, methods first and then threads; -1 before the first step.
  readonly place: ReadonlySignal<number>;
  readonly count: ReadonlySignal<number>;
  // Whether there is nothing to limit anything to: the expression is wrong, or it finds no method.
  readonly isEmpty: ReadonlySignal<boolean>;
  walk(by: 1 | -1): void;
  go(place: number): void;
  // Tables show only what is found, or all again.
  toggleOnly(): void;
}

// Brings methods and threads into sight in the timeline.
export interface Reveal {
  method(rank: number): void;
  thread(id: number): void;
}

export function createReveal(store: Store, select: SelectActions, views: ViewActions): Reveal {
  let running: AbortController | null = null;

  // The longest call shows what the method is worth; it is not selected, the method is.
  const showLongest = async (rank: number, abort: AbortSignal): Promise<void> => {
    const { hide: _, ...scope } = store.scope.peek();
    const page = await store.api.calls({ ...scope, method: rank, n: 1 }, abort);
    const [call] = page.calls;
    if (call === undefined) return;
    const view = store.view.peek();
    if (call.end < view.from || call.start > view.to) {
      const by = (call.start + call.end - view.from - view.to) / 2;
      views.glideTo(panRange(view, by, store.info.peek()?.span ?? 1));
    }
    const { thread, depth, call: ordinal } = call;
    store.revealed.value =
      store.hide.peek() === ""
        ? { thread, level: depth }
        : await askCall(store, { thread, depth, call: ordinal }, abort);
  };
  return {
    method: (rank) => {
      running?.abort();
      running = new AbortController();
      select.method(rank);
      store.names.load([rank]).catch(store.report);
      showLongest(rank, running.signal).catch(
        (problem: unknown) => isAbort(problem) || store.report(problem),
      );
    },
    thread: (id) => {
      running?.abort();
      store.revealed.value = { thread: id, level: 0 };
    },
  };
}

export function createFound(store: Store, reveal: Reveal): Found {
  const place = signal(-1);
  const asked = createLoader(
    () => {
      const match = store.search.value;
      if (match === "" || store.info.value === null) return null;
      const { key: sort, clock: by, order } = store.sort.value;
      return { ...store.listed.value, match, sort, by, order, n: LISTED };
    },
    async (query, abort) => {
      const page = await store.api.found(query, abort);
      store.names.learn(page.rows);
      return page;
    },
    TYPING_MS,
  );
  // What an expression found before it became wrong is not what it finds.
  const answer = computed(() =>
    asked.value.error === null ? asked.value : { ...asked.value, value: null },
  );
  const isEmpty = computed(
    () => answer.value.error !== null || settled(answer.value)?.ranks.length === 0,
  );
  const threads = computed(() => {
    const pattern = store.search.value;
    if (pattern === "") return [];
    const isMatch = matcherOf(pattern);
    return (store.info.value?.threads ?? []).filter(
      (thread) => thread.records > 0 && isMatch(threadLabel(thread)),
    );
  });
  const ranks = computed(() => answer.value.value?.ranks ?? []);
  const count = computed(() =>
    store.search.value === "" ? 0 : ranks.value.length + threads.value.length,
  );
  effect(() => {
    void store.search.value;
    place.value = -1;
  });

  const go = (to: number): void => {
    const rank = ranks.peek()[to];
    const thread = threads.peek()[to - ranks.peek().length];
    place.value = to;
    if (rank !== undefined) reveal.method(rank);
    else if (thread !== undefined) {
      reveal.thread(thread.id);
      store.announce.value = `Thread ${threadLabel(thread)}`;
    }
  };
  return {
    answer,
    threads,
    place,
    count,
    isEmpty,
    go,
    toggleOnly: () => {
      if (store.isOnly.peek() || answer.peek().error === null)
        store.isOnly.value = !store.isOnly.peek();
    },
    // A method that was selected elsewhere meanwhile is where the walk goes on.
    walk: (by) =>
      untracked(() => {
        const all = count.peek();
        if (all === 0) return;
        const selected = ranks.peek().indexOf(store.method.peek() ?? -1);
        const isOnThread = place.peek() >= ranks.peek().length;
        const from = isOnThread ? place.peek() : selected;
        go(from < 0 ? (by > 0 ? 0 : all - 1) : (from + by + all) % all);
      }),
  };
}
