// The curve that the overview shows: of one thread, where the trace has one and the settings want no strips of all threads.

import { computed, type ReadonlySignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { curveThread, hasCurve, type Curve } from "../../../model/timeline/curve";
import type { Thread } from "../../../model/trace";
import { createLoader } from "../../../state/loader";
import { useApp } from "../../shared/context";
import type { Size } from "../../shared/use-size";

// The width of a stretch of the axis.
const STRETCH_PX = 3;
const MOST = 4096;

interface ShownCurve {
  // The thread that a curve is of; null: strips are shown.
  readonly thread: ReadonlySignal<Thread | null>;
  // Null also while it is on its way.
  readonly curve: ReadonlySignal<Curve | null>;
}

export function useCurve(size: ReadonlySignal<Size>): ShownCurve {
  const { store } = useApp();
  return useMemo(() => {
    const thread = computed(() => {
      const info = store.info.value;
      if (info === null || !hasCurve(info) || store.settings.value.isOverviewOfThreads) return null;
      return curveThread(store.threads.value, store.rows.value);
    });
    const loaded = createLoader(
      () => {
        const of = thread.value;
        const { width } = size.value;
        if (of === null || width <= 0 || !store.isPictured.value) return null;
        const bins = Math.min(MOST, Math.ceil(width / STRETCH_PX));
        return { query: { thread: of.id, bins }, trace: store.info.value?.file };
      },
      ({ query }, abort) => store.api.curve(query, abort),
      60,
    );
    const curve = computed(() => {
      const { value } = loaded.value;
      return value !== null && value.thread === thread.value?.id ? value : null;
    });
    return { thread, curve };
  }, []);
}
