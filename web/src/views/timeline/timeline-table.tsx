// The timeline as a table: the longest calls in view, which keys can select and screen readers can
// speak. The table follows the view when the view has come to rest.

import { useSignal, useSignalEffect } from "@preact/signals";
import { formatDuration, formatMs } from "../../base/format";
import { callPlace } from "../../model/link-parts";
import { callWords } from "../../model/words";
import { longestBoxes, type TwinRow } from "../../model/timeline/longest-boxes";
import { shortName } from "../../model/names";
import { threadLabel } from "../../model/trace";
import { groupsOf } from "../../render/timeline";
import { useApp } from "../shared/context";
import type { TimelineState } from "../../state/timeline";

const ROWS = 25;
const REST_MS = 700;

export function TimelineTwin({ state }: { state: TimelineState }) {
  const { store, select } = useApp();
  const rows = useSignal<readonly TwinRow[]>([]);
  useSignalEffect(() => {
    void store.tiles.version.value;
    const view = store.view.value;
    const { width, height } = state.size.value;
    const groups = groupsOf({
      height,
      scrollTop: state.scrollTop.value,
      layout: store.rows.value,
      method: null,
      calls: "",
    });
    const timer = self.setTimeout(() => {
      rows.value = longestBoxes(
        groups.flatMap((group) => store.tiles.best(group, view, width) ?? []),
        view,
        ROWS,
      );
    }, REST_MS);
    return () => self.clearTimeout(timer);
  });
  void store.names.version.value;
  const threads = new Map((store.info.value?.threads ?? []).map((thread) => [thread.id, thread]));
  return (
    <div class="sr-only">
      <table>
        <caption>The longest {callWords(store.info.value?.sampled === true).many} in view</caption>
        <thead>
          <tr>
            <th scope="col">Method</th>
            <th scope="col">Thread</th>
            <th scope="col">Start, ms</th>
            <th scope="col">Duration</th>
          </tr>
        </thead>
        <tbody>
          {rows.value.map(({ thread, box }) => {
            const method = store.names.get(box.rank);
            const owner = threads.get(thread);
            const call = { thread, depth: box.depth, call: box.call };
            return (
              <tr key={callPlace(call)}>
                <td>
                  <button tabIndex={-1} onClick={() => select.call(call)}>
                    {method === undefined ? "…" : shortName(method)}
                  </button>
                </td>
                <td>{owner === undefined ? thread : threadLabel(owner)}</td>
                <td>{formatMs(box.start)}</td>
                <td>{formatDuration(box.duration)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
