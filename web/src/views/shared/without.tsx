// What packages are hidden in this view, as chips that can be removed; and why a table is empty.

import { formatShare, plural } from "../../base/format";
import { isolated } from "../../base/text";
import { callWords, noneHere } from "../../model/words";
import { setSetting } from "../../state/choose";
import { useApp } from "./context";

export function WithoutChips() {
  const { store, panels } = useApp();
  const weights = panels.without.value;
  return (
    <>
      {store.without.value.map((name) => {
        const weight = weights.get(name);
        return (
          <button
            key={name}
            class="chip"
            title={`Methods in ${isolated(name)} are hidden, and their time is their callers'. Press to show them again`}
            onClick={() =>
              (store.without.value = store.without.peek().filter((other) => other !== name))
            }
          >
            <span class="clip">
              without {isolated(name)}
              {weight === undefined
                ? ""
                : ` · ${plural(weight.methods, "method")}, ${formatShare(weight.time, weight.of)}`}
            </span>{" "}
            <i class="cross" />
          </button>
        );
      })}
    </>
  );
}

// Nothing to list, though no filter was typed: hidden packages may be the reason.
export function NoneHere() {
  const { store } = useApp();
  const without = store.without.value;
  const { isMyCodeOnly } = store.settings.value;
  const words = callWords(store.info.value?.sampled === true);
  if (without.length === 0 && !isMyCodeOnly) return <>{noneHere(words)}</>;
  return (
    <>
      Nothing is left: {[...(isMyCodeOnly ? ["my code only"] : []), ...without].join(", ")}{" "}
      {isMyCodeOnly ? "is on" : without.length > 1 ? "are hidden" : "is hidden"}.{" "}
      <button
        class="link"
        onClick={() => {
          store.without.value = [];
          if (isMyCodeOnly) setSetting(store, { isMyCodeOnly: false });
        }}
      >
        Show all methods
      </button>
    </>
  );
}
