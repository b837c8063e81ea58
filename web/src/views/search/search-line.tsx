// A line of what the search found.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { formatCount, formatDuration } from "../../base/format";
import { threadLabel, timeOn, type ProfileRow, type Thread } from "../../model/trace";
import { useApp } from "../shared/context";
import { MethodName, Swatch } from "../shared/method-name";

// The id of a line, which the field names as the one that the keyboard is on.
export function optionId(place: number): string {
  return `found-${place}`;
}

// `onChosen`: a line was pressed, and what it stands for is shown.
interface Placed {
  readonly place: number;
  onChosen(): void;
}

export function MethodLine({ row, place, onChosen }: Placed & { readonly row: ProfileRow }) {
  const { store, panels } = useApp();
  const { found } = panels;
  const isOnThread = found.place.value >= (found.answer.value.value?.ranks.length ?? 0);
  return (
    <Line
      place={place}
      isChosen={store.method.value === row.rank && !isOnThread}
      onChosen={onChosen}
    >
      <Swatch rank={row.rank} />
      <MethodName method={row} />
      <Numbers row={row} />
    </Line>
  );
}

// Inclusive and exclusive time on the clock in use, and calls.
function Numbers({ row }: { row: ProfileRow }) {
  const { store } = useApp();
  const measure = store.measure.value;
  const cell = (time: number | undefined): string =>
    time === undefined ? "" : formatDuration(time);
  return (
    <span class="search-numbers muted">
      <span>{cell(timeOn(row.inclusive, measure))}</span>
      <span>{cell(timeOn(row.exclusive, measure))}</span>
      <span>{formatCount(row.calls + row.recursiveCalls)}×</span>
    </span>
  );
}

export function ThreadLine({ thread, place, onChosen }: Placed & { readonly thread: Thread }) {
  const { found } = useApp().panels;
  return (
    <Line place={place} isChosen={found.place.value === place} onChosen={onChosen}>
      <span class="search-kind">thread</span>
      <span class="clip">
        {threadLabel(thread)} <span class="muted">{thread.id}</span>
      </span>
      <span class="search-numbers muted">
        <span>{formatCount(thread.calls)}×</span>
      </span>
    </Line>
  );
}

function Line({
  place,
  isChosen,
  onChosen,
  children,
}: Placed & { readonly isChosen: boolean; readonly children: ComponentChildren }) {
  const { found } = useApp().panels;
  const line = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) line.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return (
    <li
      id={optionId(place)}
      ref={line}
      role="option"
      aria-selected={isChosen}
      onClick={() => {
        found.go(place);
        onChosen();
      }}
    >
      {children}
    </li>
  );
}
