// Above the flame graph of this trace: from roots down, bottom up, or one method between its callers and callees; and the order
// of siblings.

import { batch } from "@preact/signals";
import { shortName } from "../../model/names";
import { useApp } from "../shared/context";
import { Swatch } from "../shared/method-name";
import { Segments } from "../shared/segments";

type Direction = "down" | "up" | "between";

export function ViewTools() {
  const { store } = useApp();
  const view = store.flameView.value;
  const direction = view.isSandwich ? "between" : store.isInverted.value ? "up" : "down";
  const setDirection = (chosen: Direction): void =>
    batch(() => {
      store.flamePath.value = [];
      if (chosen !== "between") store.isInverted.value = chosen === "up";
      const middle = chosen === "between" ? store.method.peek() : null;
      store.flameView.value = { ...view, isSandwich: chosen === "between", middle };
    });
  return (
    <>
      <Segments<Direction>
        label="Direction"
        value={direction}
        options={[
          { value: "down", label: "Top down" },
          { value: "up", label: "Bottom up" },
          {
            value: "between",
            label: "Sandwich",
            title: "One method between its callers, above it, and its callees, below it",
          },
        ]}
        onChoice={setDirection}
      />
      <Segments
        label="Order of siblings"
        value={view.isInTime}
        options={[
          { value: false, label: "Largest first" },
          { value: true, label: "In time", title: "As they were first called, thread by thread" },
        ]}
        onChoice={(isInTime) => (store.flameView.value = { ...view, isInTime })}
      />
    </>
  );
}

// The method between its callers and callees.
export function Middle() {
  const { store, panels } = useApp();
  const rank = panels.flame.middle.value;
  void store.names.version.value;
  if (rank === null) return null;
  const method = store.names.get(rank);
  return (
    <span class="clip">
      <Swatch rank={rank} />
      <code>{method === undefined ? "…" : shortName(method)}</code>
      <span class="muted">, callers above, callees below</span>
    </span>
  );
}
