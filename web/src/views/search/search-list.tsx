// What the search found, below its field: how much, what it took together, the methods and threads.

import type { ComponentChildren } from "preact";
import { formatCount, formatDuration, plural, shareBehind } from "../../base/format";
import { longerWord } from "../../model/text-pattern";
import { timeOn, type FoundPage } from "../../model/trace";
import { callWords, MEASURE_WORDS } from "../../model/words";
import { useApp } from "../shared/context";
import { lookThroughSearch } from "../shared/lens-menu";
import { Units } from "../shared/units";
import { MethodLine, ThreadLine } from "./search-line";

export function SearchList({ onChosen }: { onChosen(): void }) {
  const { store, panels } = useApp();
  const { found } = panels;
  const { value, error } = found.answer.value;
  const threads = found.threads.value;
  if (value === null)
    return (
      <div class="search-list" onMouseDown={(event) => event.preventDefault()}>
        {error === null ? (
          <p class="muted">Searching…</p>
        ) : (
          <Head what={<span class="bad">{error}</span>} onChosen={onChosen} />
        )}
      </div>
    );
  const listed = value.rows.length;
  const words = callWords(store.info.value?.sampled === true);
  return (
    // A press in the list leaves the keyboard in the field, where Enter goes on.
    <div class="search-list" onMouseDown={(event) => event.preventDefault()}>
      <Head what={<Totals page={value} />} onChosen={onChosen} />
      <LongerWord page={value} />
      {listed === 0 ? null : (
        <div class="search-heads muted" aria-hidden="true">
          <span>Inclusive</span>
          <span>Exclusive</span>
          <span>{words.heading}</span>
        </div>
      )}
      <ul id="search-list" role="listbox" aria-label="Found">
        {value.rows.map((row, ix) => (
          <MethodLine key={row.rank} row={row} place={ix} onChosen={onChosen} />
        ))}
        {value.count > listed ? (
          <li class="muted search-more" role="presentation">
            {formatCount(value.count - listed)} more: Enter walks to them, “Show only these” lists
            them
          </li>
        ) : null}
        {threads.map((thread, ix) => (
          <ThreadLine
            key={thread.id}
            thread={thread}
            place={value.ranks.length + ix}
            onChosen={onChosen}
          />
        ))}
      </ul>
    </div>
  );
}

// Says that longer words count, too, with a press that leaves them out.
function LongerWord({ page }: { page: FoundPage }) {
  const { store } = useApp();
  const pattern = store.search.value;
  const longer = page.rows.flatMap((row) => longerWord(pattern, row.method) ?? [])[0];
  if (longer === undefined) return null;
  return (
    <p class="search-longer muted">
      <code class="clip">{longer}</code> counts, too.
      <button
        class="link"
        title="Only where no letter or digit stands before or behind it"
        onClick={() => (store.search.value = `=${pattern}`)}
      >
        Whole words: ={pattern}
      </button>
    </p>
  );
}

// How much was found, and what it took together.
function Totals({ page }: { page: FoundPage }) {
  const { store, panels } = useApp();
  const measure = store.measure.value;
  const words = callWords(store.info.value?.sampled === true);
  const threads = panels.found.threads.value.length;
  const total = timeOn(page.total, measure) ?? 0;
  const times = (["inclusive", "exclusive"] as const).map((key) => {
    const time = timeOn(page.set[key], measure);
    return time === undefined ? "" : `, ${key} ${formatDuration(time)}${shareBehind(time, total)}`;
  });
  const where =
    store.range.value === null && store.threads.value === null ? "" : " in the selection";
  return (
    <>
      <b>{plural(page.count, "method")}</b>
      {threads > 0 ? `, ${plural(threads, "thread")}` : ""}
      {where} · {formatCount(page.set.calls)} {page.set.calls === 1 ? words.one : words.many}
      <Units text={`${times.join("")} ${MEASURE_WORDS[measure].word}`} />
    </>
  );
}

interface HeadProps {
  readonly what: ComponentChildren;
  onChosen(): void;
}

function Head({ what, onChosen }: HeadProps) {
  const app = useApp();
  const { store, panels } = app;
  const { found } = panels;
  const words = callWords(store.info.value?.sampled === true);
  const isOnly = store.isOnly.value;
  return (
    <div class="search-head">
      <p aria-live="polite">{what}</p>
      <button
        class={isOnly ? "button active" : "button"}
        aria-pressed={isOnly}
        title="Tables, flame graph and trees show only what is found (Ctrl+Enter)"
        disabled={!isOnly && found.answer.value.error !== null}
        onClick={() => {
          found.toggleOnly();
          if (store.isOnly.peek()) onChosen();
        }}
      >
        Show only these
      </button>
      <button
        class="button"
        title={`All panels show only the ${words.many} of these methods and what they made (Alt+Enter)`}
        disabled={found.isEmpty.value}
        onClick={() => {
          if (lookThroughSearch(app)) onChosen();
        }}
      >
        Only their {words.many}
      </button>
    </div>
  );
}
