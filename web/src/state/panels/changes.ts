// What changed since the trace that this one is compared with, or what one call did beside another one, by inclusive and by
// exclusive time. Asked for when the tab is looked at first.

import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { matchedQuery } from "../../model/changes/matched";
import type { Changes } from "../../model/changes/changes";
import { callPlace, placeOfCall } from "../../model/link-parts";
import type { CallPair } from "../../model/page/url-state";
import type { CallPairDetail } from "../../model/pair/pair-text";
import { askCall } from "../levels";
import { createLoader, type Loaded } from "../loader";
import type { Store } from "../store";
import { clockOfBoth } from "./before";

export type ChangesBy = "inclusive" | "exclusive";

export interface ChangesPanel {
  readonly by: Signal<ChangesBy>;
  // The method that a partner is looked for; null: none is.
  readonly alone: Signal<string | null>;
  readonly answers: Readonly<Record<ChangesBy, ReadonlySignal<Loaded<Changes>>>>;
  // Of two calls: with the places of the tree where calls changed. Of millions of calls this takes most of the time, so it
  // comes after the others; null until then.
  readonly places: ReadonlySignal<Changes | null>;
  // The calls that are compared.
  readonly calls: ReadonlySignal<Loaded<CallPairDetail>>;
}

// Rows of each list; more are told by their number.
const MOST_ROWS = 2000;

// The traces of both sides, as a question names them; null: nothing is compared.
export function comparedTraces(
  store: Pick<Store, "against" | "runs">,
): { readonly old: string; readonly new?: string } | null {
  const runs = store.runs.value;
  if (runs !== null) return { old: runs.old.join(","), new: runs.new.join(",") };
  const old = store.against.value;
  return old === null ? null : { old };
}

// Answers stay until the next ones are there; what is shown is of the sides that are compared now.
interface OfSides<T> {
  readonly sides: string;
  readonly told: T;
}

function nowTold<T>(
  store: Store,
  answers: ReadonlySignal<Loaded<OfSides<T>>>,
): ReadonlySignal<Loaded<T>> {
  return computed(() => {
    const { value, ...rest } = answers.value;
    return { ...rest, value: value?.sides === sidesKey(store) ? value.told : null };
  });
}

function sidesKey(store: Store): string {
  return JSON.stringify([store.beside.value, comparedTraces(store)]);
}

// The calls of a pair, which are the same ones where it was swapped.
function callsOf(pair: CallPair | null, told: CallPairDetail | null): CallPairDetail | null {
  if (pair === null || told === null) return null;
  const [old, own] = [callPlace(told.old), callPlace(told.new)];
  if (old === pair.old && own === pair.new) return told;
  return old === pair.new && own === pair.old ? { old: told.new, new: told.old } : null;
}

export function createChangesPanel(store: Store): ChangesPanel {
  const isShown = (): boolean => store.tab.value === "changes" && store.isPictured.value;
  // Which calls they are is known soon, and their timelines need no more: it goes before what compares all below them.
  const callsLoader = createLoader(
    () => (isShown() ? store.beside.value : null),
    async (pair, abort) => {
      const [old, own] = await Promise.all([
        askCall(store, placeOfCall(pair.old), abort),
        askCall(store, placeOfCall(pair.new), abort),
      ]);
      return { old, new: own };
    },
  );
  const answerBy = (by: ChangesBy): ReadonlySignal<Loaded<Changes>> =>
    nowTold(
      store,
      createLoader(
        () => {
          const measure = store.measure.value;
          const calls = store.beside.value;
          const traces = comparedTraces(store);
          const compared = calls ?? traces;
          if (compared === null || !isShown() || callsLoader.value.isLoading) return null;
          const shared = calls === null ? clockOfBoth(store, measure) : measure;
          const clock = shared === "wait" ? undefined : shared;
          const matched = calls === null ? matchedQuery(store.matched.value) : undefined;
          const query = { ...compared, by, n: MOST_ROWS, clock, matched };
          return { isOfCalls: calls !== null, sides: sidesKey(store), query };
        },
        async ({ isOfCalls, sides, query }, abort) => ({
          sides,
          told: await (isOfCalls
            ? store.api.callChanges({ ...query, contexts: 0 }, abort)
            : store.api.changes(query, abort)),
        }),
      ),
    );
  const inclusive = answerBy("inclusive");
  const places = nowTold(
    store,
    createLoader(
      () => {
        const calls = store.beside.value;
        const isNext = inclusive.value.value !== null && !inclusive.value.isLoading;
        return calls !== null && isShown() && isNext ? { calls, sides: sidesKey(store) } : null;
      },
      async ({ calls, sides }, abort) => ({
        sides,
        told: await store.api.callChanges({ ...calls, n: MOST_ROWS }, abort),
      }),
    ),
  );
  return {
    by: signal("inclusive"),
    alone: signal(null),
    answers: { inclusive, exclusive: answerBy("exclusive") },
    places: computed(() => (store.beside.value === null ? null : places.value.value)),
    calls: computed(() => {
      const { value, ...rest } = callsLoader.value;
      return { ...rest, value: callsOf(store.beside.value, value) };
    }),
  };
}
