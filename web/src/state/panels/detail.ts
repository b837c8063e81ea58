// What the details pane shows: of what is selected, one subject, and the answers about it.

import { computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Query } from "../../api/source";
import { subjectsOf, type Detail, type SubjectKind } from "../../model/detail/detail";
import { lensCalls, type ChosenPart } from "../../model/lens";
import type { CallsHead } from "./calls";
import { createLoader, type Loaded } from "../loader";
import type { Store } from "../store";

export interface Details {
  // What can be looked at now, and what is.
  readonly subjects: ReadonlySignal<readonly SubjectKind[]>;
  readonly subject: ReadonlySignal<SubjectKind>;
  readonly answer: ReadonlySignal<Loaded<Detail>>;
  // The distribution of the method's calls; of subjects without a method it is of the last one.
  readonly spread: ReadonlySignal<Loaded<CallsHead>>;
  readonly thread: ReadonlySignal<number | null>;
  look(subject: SubjectKind): void;
}

// A walk by arrow keys asks when it rests.
const REST_MS = 60;

// The pane is there where the window has room for it, unless the user said otherwise.
export function isDetailsOpen(store: Store): boolean {
  return store.settings.value.isDetailsOpen ?? store.isRoomy.value;
}

// The subject that was selected last is looked at. Later effects win: a press on a box selects its
// method and its call, and the call is meant.
function followChoices(store: Store, wanted: Signal<SubjectKind | null>): void {
  const follow = (kind: SubjectKind, key: () => unknown): void => {
    let last = JSON.stringify(key()) ?? "";
    effect(() => {
      const now = JSON.stringify(key()) ?? "";
      if (now === last) return;
      last = now;
      if (now !== "null") wanted.value = kind;
    });
  };
  follow("thread", () => (store.threads.value?.size === 1 ? [...store.threads.value] : null));
  follow("range", () => store.range.value);
  follow("method", () => {
    const rank = store.method.value;
    const calls = lensCalls(store.chosenCalls.value);
    return store.call.value !== null || rank === null ? null : [rank, calls];
  });
  follow("call", () => {
    const call = store.call.value;
    return call === null ? null : [call.thread, call.depth, call.call];
  });
}

export function createDetails(
  store: Store,
  chosenPart: ReadonlySignal<ChosenPart | null>,
): Details {
  const wanted = signal<SubjectKind | null>(null);
  const thread = computed(() => {
    const chosen = store.threads.value;
    const [only] = chosen?.size === 1 ? [...chosen] : [];
    return only ?? store.call.value?.thread ?? null;
  });
  const subjects = computed(() =>
    subjectsOf({
      hasCall: store.call.value !== null,
      hasMethod: store.method.value !== null,
      hasRange: store.range.value !== null,
      hasThread: thread.value !== null,
    }),
  );
  const subject = computed((): SubjectKind => {
    const all = subjects.value;
    return all.find((kind) => kind === wanted.value) ?? all[0] ?? "trace";
  });
  followChoices(store, wanted);
  const isWanted = (): boolean =>
    isDetailsOpen(store) && !store.isLowerHidden.value && store.isPictured.value;
  const asked = createLoader(
    () => (isWanted() ? queryOf(store, subject.value, thread.value) : null),
    (query, abort) => store.api.detail(query, abort),
    REST_MS,
  );
  // Of calls at the end of a path: a recursive method has more calls below them, which are not meant.
  const answer = computed((): Loaded<Detail> => {
    const loaded = asked.value;
    const isOfPath = subject.value === "method" && store.chosenCalls.value?.kind === "along";
    if (!isOfPath || loaded.value === null) return loaded;
    const part = chosenPart.value;
    if (part === null) return { ...loaded, isLoading: true };
    return {
      ...loaded,
      value: { ...loaded.value, calls: part.count, exclusive: loaded.value.self },
    };
  });
  const spread = createLoader(
    () => {
      const rank = store.method.value;
      const isOfMethod = subject.value === "call" || subject.value === "method";
      if (!isWanted() || !isOfMethod || rank === null) return null;
      const { hide: _, ...scope } = store.selected.value;
      return { ...scope, method: rank, n: 1 };
    },
    async (query, abort): Promise<CallsHead> => {
      const { calls: _, ...head } = await store.api.calls(query, abort);
      return head;
    },
    REST_MS,
  );
  return {
    subjects,
    subject,
    answer,
    spread,
    thread,
    look: (kind) => (wanted.value = kind),
  };
}

// The question about a subject: a call is looked at where it is, whatever the range.
function queryOf(store: Store, subject: SubjectKind, thread: number | null): Query {
  const { method, selected, scope: all } = store;
  const { threads: _, from, to, ...scope } = all.value;
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  switch (subject) {
    case "call": {
      const call = store.call.value;
      if (call === null) return all.value;
      return { ...scope, thread: call.thread, depth: call.depth, call: call.call };
    }
    case "method":
      return method.value === null ? all.value : { ...selected.value, method: method.value };
    case "thread":
      return { ...scope, ...range, threads: String(thread ?? "") };
    case "range":
    case "trace":
      return store.listed.value;
  }
}
