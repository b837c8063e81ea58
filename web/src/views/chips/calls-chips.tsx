// Which calls the panels are of, as chips that can be removed: those that all are limited to, and those that are selected.

import { chosenText, chosenTitle, lensText, lensTitle } from "../../model/lens";
import { callWords } from "../../model/words";
import { setLens } from "../../state/actions/lens-actions";
import { settled } from "../../state/loader";
import { useApp } from "../shared/context";

// The calls that all panels are limited to.
export function LensChip() {
  const { store, panels } = useApp();
  const lens = store.lens.value;
  void store.names.version.value;
  if (lens === null) return null;
  const words = callWords(store.info.value?.sampled === true);
  return (
    <button
      class="chip through"
      title={lensTitle(lens, words, store.names.get)}
      onClick={() => setLens(store, null)}
    >
      <span class="clip">
        {lensText(lens, settled(panels.lensCount.value), words, store.names.get)}
      </span>{" "}
      <i class="cross" />
    </button>
  );
}

// The calls that were selected with a method, where they are not all of it.
export function ChosenChip() {
  const { store, panels } = useApp();
  const part = panels.chosenPart.value;
  void store.names.version.value;
  if (part === null) return null;
  const words = callWords(store.info.value?.sampled === true);
  // The key takes a selected call, and where there is a lens it takes that off.
  const isByKey = store.lens.value === null && store.call.value === null;
  return (
    <button
      class="chip chosen-calls"
      title={chosenTitle(part.calls, words, store.names.get, isByKey)}
      onClick={() => (store.pickedCalls.value = null)}
    >
      <span class="clip">{chosenText(part, words, store.names.get)}</span> <i class="cross" />
    </button>
  );
}
