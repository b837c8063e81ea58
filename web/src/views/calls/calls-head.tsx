// The head of the Calls tab: the method, the distribution of the durations of its calls, and what
// stands out.

import { longestText } from "../../model/calls/calls-text";
import { callWords, type CallWords } from "../../model/words";
import type { CallsHead } from "../../state/panels/calls";
import { useApp } from "../shared/context";
import { Segments } from "../shared/segments";
import { Histogram } from "./histogram";
import { MethodName, Swatch } from "../shared/method-name";
import { Units } from "../shared/units";
import { Overhead } from "./overhead";

export function CallsHeadView({ rank, head }: { rank: number; head: CallsHead | null }) {
  const app = useApp();
  const { store, select } = app;
  const { calls, tables } = app.panels;
  void store.names.version.value;
  const method = store.names.get(rank);
  const words = callWords(store.info.value?.sampled === true);
  const sort = tables.calls.sort.value;
  const isByStart = sort !== null && ["start", "call"].includes(sort.column);
  const setByStart = (byStart: boolean): void => {
    tables.calls.sort.value = byStart ? { column: "start", order: "asc" } : null;
  };
  return (
    /* No stop of its own, which Firefox would make of what scrolls. */
    <div class="calls-head" tabIndex={-1}>
      <div class="calls-title">
        <Swatch rank={rank} />
        {method === undefined ? "…" : <MethodName method={method} />}
      </div>
      <div class="calls-tools">
        <Segments
          label={`Order of ${words.many}`}
          value={isByStart}
          options={[
            { value: false, label: "Slowest first" },
            { value: true, label: "By start" },
          ]}
          onChoice={setByStart}
        />
        <button
          class="button icon"
          aria-label={`Previous ${words.one}`}
          title={`Previous ${words.one} (,)`}
          onClick={() => select.step("prev")}
        >
          <i class="up" />
        </button>
        <button
          class="button icon"
          aria-label={`Next ${words.one}`}
          title={`Next ${words.one} (.)`}
          onClick={() => select.step("next")}
        >
          <i class="down" />
        </button>
      </div>
      {head === null ? null : (
        <Histogram
          head={head}
          old={store.selectedCalls.value === null ? (app.oldSide.value?.calls.value ?? null) : null}
          words={words}
          limits={calls.limits.value}
          onBar={(bar) => {
            const isSame = calls.limits.peek()?.min === bar.from;
            calls.limits.value = isSame ? null : { min: bar.from, max: bar.to };
          }}
        />
      )}
      <Longest head={head} words={words} />
      <Overhead />
    </div>
  );
}

// The sentence that people look for: how much longer than usual the longest call is.
function Longest({ head, words }: { head: CallsHead | null; words: CallWords }) {
  const { store } = useApp();
  const text = head === null ? "" : longestText(head, store.measure.value, words);
  return text === "" ? null : (
    <p class="estimate">
      <Units text={text} />
    </p>
  );
}
