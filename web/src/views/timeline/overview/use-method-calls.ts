// Where the calls of the lens, or else of the selected method, are in the whole trace, in the threads of the overview's strips.

import { useMemo } from "preact/hooks";
import { computed, type ReadonlySignal } from "@preact/signals";
import type { WindowAnswer } from "../../../model/timeline/boxes";
import { lensCalls } from "../../../model/lens";
import { extentsOf, groupKey } from "../../../model/timeline/tiles";
import { hideOf } from "../../../state/levels";
import { createLoader, type Loaded } from "../../../state/loader";
import type { Store } from "../../../state/store";
import { useApp } from "../../shared/context";
import type { Size } from "../../shared/use-size";

// A walk through a table by its keys asks for the method that it ends at.
const WALK_MS = 60;

type Shown = { readonly extents: number } | { readonly calls: string };

// What is shown; null: nothing is selected.
function shownOf(store: Store): Shown | null {
  return extentsOf(0, store.method.value, lensCalls(store.selectedCalls.value))?.of ?? null;
}

function groupKeyOf(of: Shown): string {
  return groupKey({ kind: "extents", thread: 0, of });
}

export function useMethodCalls(
  size: ReadonlySignal<Size>,
  strips: ReadonlySignal<Loaded<WindowAnswer>>,
): ReadonlySignal<WindowAnswer | null> {
  const { store } = useApp();
  return useMemo(() => {
    const loaded = createLoader(
      () => {
        const info = store.info.value;
        const of = shownOf(store);
        const threads = strips.value.value?.rows.map((row) => row.thread) ?? [];
        const { width } = size.value;
        return info !== null && of !== null && threads.length > 0 && width > 0
          ? {
              width,
              of,
              threads,
              to: Math.max(1, info.span),
              hide: store.hide.value,
              trace: info.file,
            }
          : null;
      },
      async ({ width, of, threads, to, hide }, abort) => {
        const rows = threads.map((thread) => `${thread}:x`).join(",");
        const query = {
          from: 0,
          to,
          width: Math.ceil(width),
          rows,
          ...of,
          ...hideOf(hide),
        };
        return { of: groupKeyOf(of), answer: await store.api.window(query, abort) };
      },
      WALK_MS,
    );
    return computed(() => {
      const found = loaded.value.value;
      const of = shownOf(store);
      return found !== null && of !== null && found.of === groupKeyOf(of) ? found.answer : null;
    });
  }, []);
}
