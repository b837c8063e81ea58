// Where the calls of the selected method are in the whole trace, in the threads of the overview's strips.

import { useMemo } from "preact/hooks";
import { computed, type ReadonlySignal } from "@preact/signals";
import type { WindowAnswer } from "../../../model/timeline/boxes";
import { hideOf } from "../../../state/levels";
import { createLoader, type Loaded } from "../../../state/loader";
import { useApp } from "../../shared/context";
import type { Size } from "../../shared/use-size";

// A walk through a table by its keys asks for the method that it ends at.
const WALK_MS = 60;

export function useMethodCalls(
  size: ReadonlySignal<Size>,
  strips: ReadonlySignal<Loaded<WindowAnswer>>,
): ReadonlySignal<WindowAnswer | null> {
  const { store } = useApp();
  return useMemo(() => {
    const loaded = createLoader(
      () => {
        const info = store.info.value;
        const rank = store.method.value;
        const threads = strips.value.value?.rows.map((row) => row.thread) ?? [];
        const { width } = size.value;
        return info !== null && rank !== null && threads.length > 0 && width > 0
          ? {
              width,
              rank,
              threads,
              to: Math.max(1, info.span),
              hide: store.hide.value,
              trace: info.file,
            }
          : null;
      },
      async ({ width, rank, threads, to, hide }, abort) => {
        const rows = threads.map((thread) => `${thread}:x`).join(",");
        const query = {
          from: 0,
          to,
          width: Math.ceil(width),
          rows,
          extents: rank,
          ...hideOf(hide),
        };
        return { rank, answer: await store.api.window(query, abort) };
      },
      WALK_MS,
    );
    return computed(() => {
      const found = loaded.value.value;
      return found !== null && found.rank === store.method.value ? found.answer : null;
    });
  }, []);
}
