// What the methods took together that are marked, or that a filter left.

import { formatCount, formatDuration, plural, shareBehind } from "../../base/format";
import { timeOn } from "../../model/trace";
import { callWords, MEASURE_WORDS } from "../../model/words";
import { useApp } from "../shared/context";

export function ProfileTotals() {
  const { store, panels } = useApp();
  const totals = panels.totals.value;
  const measure = store.measure.value;
  const words = callWords(store.info.value?.sampled === true);
  if (totals === null || totals.set.methods === 0) return null;
  const { set, total } = totals;
  const whole = timeOn(total, measure) ?? 0;
  const time = (key: "inclusive" | "exclusive"): string => {
    const ns = timeOn(set[key], measure) ?? 0;
    return `${key} ${formatDuration(ns)}${shareBehind(ns, whole)}`;
  };
  const { word } = MEASURE_WORDS[measure];
  return (
    <span
      class="totals"
      aria-live="polite"
      title={`${word} of these methods; inclusive time counts once where they call each other, shares are of all root ${words.many} in the selection`}
    >
      {totals.what === "marked" ? <b>{formatCount(set.methods)} marked: </b> : null}
      {plural(set.calls, words.one, words.many)}, {time("inclusive")}, {time("exclusive")}
      {whole > 0 ? ` of ${formatDuration(whole)}` : ""}
    </span>
  );
}
