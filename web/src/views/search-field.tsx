// One search for all panels: a substring, or /a regular expression/. Enter walks from method to method.

import { useSignal } from "@preact/signals";
import { formatCount, plural } from "../base/format";
import { useApp } from "./shared/context";

export function SearchField() {
  const { store, select } = useApp();
  const place = useSignal(-1);
  const text = store.search.value;
  const loaded = store.searchAnswer.value;
  const answer = text === "" ? null : loaded.value;

  const walk = (by: number): void => {
    if (answer === null || answer.ranks.length === 0) return;
    const count = answer.ranks.length;
    const here = answer.ranks.indexOf(store.method.peek() ?? -1);
    place.value = here < 0 ? (by > 0 ? 0 : count - 1) : (here + by + count) % count;
    const rank = answer.ranks[place.value];
    if (rank !== undefined) select.method(rank);
  };

  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter") walk(event.shiftKey ? -1 : 1);
    else if (event.key !== "Escape") return;
    else if (text !== "") store.search.value = "";
    else if (event.currentTarget instanceof HTMLElement) event.currentTarget.blur();
    event.preventDefault();
    event.stopPropagation();
  };

  const at = answer === null ? -1 : answer.ranks.indexOf(store.method.value ?? -1);
  const isNone = answer !== null && !loaded.isLoading && answer.count === 0;
  return (
    <div class={isNone ? "search none" : "search"} role="search">
      <i class="lens" />
      <input
        id="search"
        type="text"
        spellcheck={false}
        autocomplete="off"
        placeholder="Search methods, or /regex/"
        aria-label="Search all panels"
        value={text}
        onInput={(event) => (store.search.value = event.currentTarget.value)}
        onKeyDown={onKey}
      />
      {answer === null ? null : (
        <span
          class="found"
          title={`${plural(answer.calls, "call")} in ${plural(answer.threads.length, "thread")}`}
          aria-live="polite"
        >
          {answer.count === 0
            ? "none"
            : at >= 0
              ? `${formatCount(at + 1)} of ${formatCount(answer.count)}`
              : formatCount(answer.count)}
        </span>
      )}
      {loaded.error !== null && text !== "" ? (
        <span class="found bad" title={loaded.error}>
          !
        </span>
      ) : null}
      {text === "" ? (
        <kbd>/</kbd>
      ) : (
        <span class="steps">
          <button aria-label="Previous method found" onClick={() => walk(-1)}>
            <i class="up" />
          </button>
          <button aria-label="Next method found" onClick={() => walk(1)}>
            <i class="down" />
          </button>
          <button aria-label="Clear the search" onClick={() => (store.search.value = "")}>
            <i class="cross" />
          </button>
        </span>
      )}
    </div>
  );
}
