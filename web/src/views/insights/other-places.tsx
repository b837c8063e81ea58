// Where to look further in a sampled trace, whose calls are not exact.

import { hasItems } from "../../model/timeline/lanes";
import { sortProfile } from "../../state/actions/choose";
import { useApp } from "../shared/context";

export function OtherPlaces() {
  const { store } = useApp();
  const lanes = store.lanes.value.value;
  return (
    <ul class="insights-places">
      {!hasItems(lanes) ? null : (
        <li>
          <button class="link" onClick={() => (store.tab.value = "frames")}>
            The frames and messages of main, the longest first
          </button>
        </li>
      )}
      <li>
        <button class="link" onClick={() => sortProfile(store, "exclusive")}>
          The methods whose own code took longest
        </button>
      </li>
    </ul>
  );
}
