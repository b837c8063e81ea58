// An estimate, labelled as one, of how much of the time of the selected method is the tracing
// itself.

import { tracingText } from "../../model/calls/calls-text";
import { useApp } from "../shared/context";
import { Units } from "../shared/units";

export function Overhead() {
  const { store, panels } = useApp();
  const { profile } = panels;
  const rank = store.method.value;
  const sheet = profile.sheet.value;
  // The rows of the Profile are of all calls of a method.
  if (rank === null || sheet === null || store.chosenCalls.value !== null) return null;
  const row = [...sheet.pages.values()].flat().find((one) => one.rank === rank);
  const { info } = store;
  if (row?.overhead === undefined || info.value === null) return null;
  const isPartial = info.value.overhead?.isPartial === true;
  const { measure } = store;
  const text = tracingText(row.overhead, row.exclusive, measure.value, info.value.axis, isPartial);
  if (text === "") return null;
  return (
    <p
      class="estimate muted"
      title="What recording costs, by the file: half of it for each of its calls, half for each call that these made. The margin goes by the shortest leaf calls of the trace."
    >
      <Units text={text} />
    </p>
  );
}
