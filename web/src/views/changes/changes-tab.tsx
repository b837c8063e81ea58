// The Changes tab: what changed since the trace that this one is compared with. Both sides first, then at most ten sentences,
// then all methods with both columns.

import { sentencesOf } from "../../model/changes/changes";
import { useApp } from "../shared/context";
import { ChangesHead } from "./changes-head";
import { Sentences } from "./sentences";
import { ChangesTable } from "./changes-table";

export function ChangesTab() {
  const { store, panels } = useApp();
  const { by, answers } = panels.changes;
  const shown = answers[by.value].value;
  const whole = answers.inclusive.value;
  const failure = shown.error ?? whole.error;
  if (store.against.value === null)
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
      <ChangesHead changes={whole.value} />
      <Sentences list={sentencesOf(whole.value, answers.exclusive.value.value)} />
      <ChangesTable changes={shown.value} />
    </div>
  );
}
