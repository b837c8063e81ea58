// Messages, frames and start-up phases, asked for once the picture is there.

import { computed, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../api/client";
import { bandsOf, type Band, type Lanes } from "../model/timeline/lanes";
import type { TraceInfo } from "../model/trace";
import { createLoader, type Loaded } from "./loader";

interface LaneState {
  readonly lanes: ReadonlySignal<Loaded<Lanes>>;
  // The lanes of each thread that has any.
  readonly bands: ReadonlySignal<ReadonlyMap<number, readonly Band[]>>;
}

export function createLanes(
  api: Api,
  info: ReadonlySignal<TraceInfo | null>,
  isPictured: ReadonlySignal<boolean>,
): LaneState {
  const lanes = createLoader(
    () => (info.value !== null && isPictured.value ? { file: info.value.file } : null),
    (_, abort) => api.lanes(abort),
  );
  return { lanes, bands: computed(() => bandsOf(lanes.value.value)) };
}
