// That two calls are compared, as a chip that leads to them; pressed there, it ends that.

import { endComparing } from "../../state/actions/compare-calls";
import { useApp } from "../shared/context";

export function PairChip() {
  const { store } = useApp();
  if (store.beside.value === null) return null;
  const isThere = store.tab.value === "changes";
  return (
    <button
      class="chip pair"
      title={
        isThere
          ? "Two calls are compared below. Press to end that"
          : "Two calls are compared. Press to see them"
      }
      onClick={() => {
        if (isThere) endComparing(store);
        else store.tab.value = "changes";
      }}
    >
      <span class="clip">two calls</span> <i class={isThere ? "cross" : "caret"} />
    </button>
  );
}
