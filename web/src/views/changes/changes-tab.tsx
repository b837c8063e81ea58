// The Changes tab: what changed since the trace that this one is compared with. Both sides first, then at most ten sentences,
// then all methods with both columns.

import { OF_CALLS, OF_TRACES, sentencesOf } from "../../model/changes/changes";
import { isCompared } from "../../state/page/compared";
import { useApp } from "../shared/context";
import { ChangesHead } from "./changes-head";
import { CallsBeside } from "./calls-beside";
import { Callers } from "./changes-callers";
import { Sentences } from "./changes-insights";
import { ChangesTable } from "./changes-table";

export function ChangesTab() {
  const { store, panels } = useApp();
  const { by, answers } = panels.changes;
  const shown = answers[by.value].value;
  const whole = answers.inclusive.value;
  const failure = shown.error ?? whole.error;
  const isOfCalls = store.beside.value !== null;
  const words = isOfCalls ? OF_CALLS : OF_TRACES;
  if (!isCompared(store) && !isOfCalls)
    return (
      <p class="insights-none muted">
        Nothing to compare with: traceview OLD NEW opens two traces.
      </p>
    );
  if (failure !== null) return <p class="insights-none">These cannot be compared: {failure}</p>;
  if (shown.value === null || whole.value === null)
    return <p class="insights-none muted">Comparing…</p>;
  return (
    <div class="changes">
      {isOfCalls ? <CallsBeside changes={whole.value} /> : <ChangesHead changes={whole.value} />}
      <Sentences
        list={sentencesOf(whole.value, answers.exclusive.value.value, words)}
        words={words}
      />
      <Callers changes={whole.value} words={words} />
      <ChangesTable changes={shown.value} words={words} />
    </div>
  );
}
