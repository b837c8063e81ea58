// Why the flame graph has no box.

import { callWords, MEASURE_WORDS } from "../../model/words";
import { useApp } from "../shared/context";
import { NoneHere } from "../shared/empty-table";

export function NothingDrawn() {
  const { store, panels } = useApp();
  const { choice, middle } = panels.flame;
  const { word } = MEASURE_WORDS[store.measure.value];
  if (choice.value !== null) return <>{panels.flame.sides.value.nothingGone}</>;
  if (middle.value !== null) {
    const { one } = callWords(store.info.value?.sampled === true);
    return <NoneHere what={`${one} of it with ${word}`} />;
  }
  if (store.flameView.value.isSandwich)
    return <>Select a method: its callers are drawn above it, its callees below it.</>;
  return <NoneHere what={`${word} to show`} />;
}
