// The details pane: where the time of what is selected went, and what it waited for.

import type { SubjectKind } from "../../model/detail/detail";
import { callWords } from "../../model/words";
import { setSetting } from "../../state/actions/choose";
import { useApp } from "../shared/context";
import { Segments } from "../shared/segments";
import { DetailActions } from "./detail-actions";
import { Figures } from "./detail-figures";
import { PartRows, PathRows, WaitRows } from "./detail-rows";
import { Spread } from "./detail-spread";
import { Title } from "./detail-title";

const NAMES: Record<SubjectKind, string> = {
  call: "Call",
  method: "Method",
  range: "Range",
  thread: "Thread",
  trace: "Trace",
};

export function DetailPane() {
  const app = useApp();
  const { store } = app;
  const { details } = app.panels;
  const subject = details.subject.value;
  const words = callWords(store.info.value?.sampled === true);
  const { value, error, isLoading } = details.answer.value;
  return (
    <section class="details" aria-label="Details" data-panel="details">
      <div class="details-head">
        <Segments
          label="Details of"
          value={subject}
          options={details.subjects.value.map((kind) => ({
            value: kind,
            label: kind === "call" ? words.heading.replace(/s$/, "") : NAMES[kind],
          }))}
          onChoice={details.look}
        />
        <span class="grow" />
        <button
          class="button icon"
          aria-label="Close the details"
          title="Close the details (X)"
          onClick={() => setSetting(store, { isDetailsOpen: false })}
        >
          <i class="cross" />
        </button>
      </div>
      <div
        class="details-body"
        tabIndex={0}
        role="group"
        aria-label="Numbers"
        aria-busy={isLoading}
      >
        <Title subject={subject} idle={value?.idle ?? 0} />
        <DetailActions subject={subject} detail={value} />
        {error === null ? null : <p class="bad">{error}</p>}
        {value === null ? (
          <p class="muted">…</p>
        ) : (
          <div class={isLoading ? "details-parts old" : "details-parts"}>
            <Figures detail={value} subject={subject} />
            <WaitRows detail={value} />
            <PartRows detail={value} subject={subject} />
            <PathRows detail={value} />
            {subject === "call" || subject === "method" ? <Spread subject={subject} /> : null}
          </div>
        )}
      </div>
    </section>
  );
}
