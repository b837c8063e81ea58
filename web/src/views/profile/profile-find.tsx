// The find box of the Profile: finds the next method whose name holds a text, or, with a tick,
// lists only such methods.

import { useSignal } from "@preact/signals";
import { useApp } from "../shared/context";

export function FindBox() {
  const { store, select, panels } = useApp();
  const { profile } = panels;
  const text = useSignal("");
  const isMissing = useSignal(false);
  const isFilter = useSignal(false);

  // The next method after the selected one, in the sorted order, whose name holds the text.
  const find = async (isNext: boolean): Promise<void> => {
    const wanted = text.peek();
    if (wanted === "") return;
    const [order, found] = await Promise.all([
      profile.ranksInOrder(),
      store.api.search({ q: wanted, n: 10000 }, new AbortController().signal),
    ]);
    if (text.peek() !== wanted) return;
    const ranks = new Set(found.ranks);
    const here = order.indexOf(store.method.peek() ?? -1);
    // After a miss, the next Enter starts from the top again.
    const from = isNext && here >= 0 && !isMissing.peek() ? here + 1 : 0;
    const next = order.slice(from).find((rank) => ranks.has(rank));
    isMissing.value = next === undefined;
    if (next !== undefined) select.method(next);
  };
  const run = (isNext: boolean): void => void find(isNext).catch(store.report);

  const isOn = isFilter.value || store.filter.value !== "";
  return (
    <>
      <label class={isMissing.value ? "find missing" : "find"}>
        {isOn ? "Filter" : "Find"}
        <input
          id="find"
          type="text"
          spellcheck={false}
          autocomplete="off"
          placeholder="class.method"
          value={isOn ? store.filter.value : text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            if (isOn) store.filter.value = text.value;
            else run(false);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !isOn) run(true);
            else if (event.key === "Escape") {
              text.value = "";
              store.filter.value = "";
              isMissing.value = false;
            } else return;
            event.stopPropagation();
          }}
        />
        <kbd>G</kbd>
      </label>
      <label class="check-label">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => {
            isFilter.value = event.currentTarget.checked;
            if (!isFilter.value) text.value = store.filter.peek();
            store.filter.value = isFilter.value ? text.value : "";
          }}
        />
        only matches
      </label>
    </>
  );
}
