// The Changes tab: what changed since the trace that this one is compared with, or what one call did beside another one. Both
// sides first, then at most ten sentences, then all methods, or the tree of both calls, with both columns.

import { OF_CALLS, OF_TRACES, sentencesOf, type Changes } from "../../model/changes/changes";
import { isCompared } from "../../state/page/compared";
import { CallsBeside } from "../pair/calls-beside";
import { PairTimelines } from "../pair/pair-timelines";
import { PairTree } from "../pair/pair-tree";
import { PairWaits } from "../pair/pair-waits";
import { useApp } from "../shared/context";
import { Segments } from "../shared/segments";
import { TimeChoice } from "./time-choice";
import { ChangesHead } from "./changes-head";
import { Callers } from "./changes-callers";
import { Sentences } from "./changes-insights";
import { ChangesTable } from "./changes-table";

export function ChangesTab() {
  const { store, panels } = useApp();
  const { by, answers } = panels.changes;
  const shown = answers[by.value].value;
  const whole = answers.inclusive.value;
  const own = answers.exclusive.value.value;
  const failure = shown.error ?? whole.error;
  const isOfCalls = store.beside.value !== null;
  if (!isCompared(store) && !isOfCalls)
    return (
      <p class="insights-none muted">
        Nothing to compare with: traceview OLD NEW opens two traces.
      </p>
    );
  if (failure !== null) return <p class="insights-none">These cannot be compared: {failure}</p>;
  if (isOfCalls) return <OfCalls whole={whole.value} shown={shown.value} />;
  if (shown.value === null || whole.value === null)
    return <p class="insights-none muted">Comparing…</p>;
  return (
    <div class="changes">
      <ChangesHead changes={whole.value} />
      {own === null ? null : (
        <Sentences
          list={sentencesOf(whole.value, own, OF_TRACES)}
          whole={whole.value}
          own={own}
          words={OF_TRACES}
        />
      )}
      <Callers changes={whole.value} words={OF_TRACES} />
      <ChangesTable changes={shown.value} words={OF_TRACES} />
    </div>
  );
}

// Each part stands there as soon as it is known.
function OfCalls({ whole, shown }: { whole: Changes | null; shown: Changes | null }) {
  const { changes, pair } = useApp().panels;
  const places = changes.places.value;
  const own = changes.answers.exclusive.value.value;
  const list = whole === null ? [] : sentencesOf(whole, own, OF_CALLS);
  return (
    <div class="changes">
      {changes.calls.value.value === null ? (
        <p class="insights-none muted">Comparing…</p>
      ) : (
        <CallsBeside changes={whole} sentences={list} />
      )}
      <PairTimelines />
      {whole === null || own === null ? null : (
        <Sentences list={list} whole={whole} own={own} words={OF_CALLS} />
      )}
      <PairWaits />
      {places === null ? null : <Callers changes={places} words={OF_CALLS} />}
      <TableChoice />
      {pair.isTree.value || shown === null ? (
        <PairTree />
      ) : (
        <ChangesTable changes={shown} words={OF_CALLS} />
      )}
    </div>
  );
}

// Of two calls: their tree, or all methods that differ.
function TableChoice() {
  const { isTree } = useApp().panels.pair;
  return (
    <div class="changes-tools pair-choice">
      <Segments<"tree" | "methods">
        label="How what differs is listed"
        value={isTree.value ? "tree" : "methods"}
        options={[
          { value: "tree", label: "Tree" },
          { value: "methods", label: "Methods" },
        ]}
        onChoice={(choice) => (isTree.value = choice === "tree")}
      />
      {isTree.value ? null : <TimeChoice />}
    </div>
  );
}
