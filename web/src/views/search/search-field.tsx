// The one search, for all panels: a substring, or /a regular expression/. What it finds is listed
// below it; Enter and the arrows walk from match to match, Escape leaves.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { formatCount, plural } from "../../base/format";
import { clearSearch } from "../../state/actions/choose";
import { focusPanel } from "../shared/focus";
import { useApp } from "../shared/context";
import { lookThroughSearch } from "../shared/lens-menu";
import { optionId } from "./search-line";
import { SearchList } from "./search-list";

export function SearchField() {
  const app = useApp();
  const { store } = app;
  const isInside = useSignal(false);
  const isOpen = useSignal(false);
  const before = useRef<HTMLElement | null>(null);
  const text = store.search.value;

  const leave = (): void => {
    isOpen.value = false;
    if (before.current?.isConnected === true) before.current.focus();
    else focusPanel();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Escape") leave();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
      app.panels.found.toggleOnly();
    else if (event.key === "Enter" && event.altKey) {
      if (lookThroughSearch(app)) leave();
    } else if (event.key === "Enter") app.panels.found.walk(event.shiftKey ? -1 : 1);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp")
      app.panels.found.walk(event.key === "ArrowDown" ? 1 : -1);
    else return;
    // The list goes when panels show what was asked for; arrows walk in it.
    const isToggle = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    isOpen.value = isToggle ? !store.isOnly.peek() : event.key.startsWith("Arrow");
    event.preventDefault();
    event.stopPropagation();
  };
  // Where the focus was before it came into the search, and whether it is inside.
  const onFocus = (event: FocusEvent & { currentTarget: HTMLElement }): void => {
    const from = event.relatedTarget;
    if (from instanceof HTMLElement && !event.currentTarget.contains(from)) before.current = from;
    isInside.value = true;
  };
  const onBlur = (event: FocusEvent & { currentTarget: HTMLElement }): void => {
    const to = event.relatedTarget;
    if (to instanceof Node && event.currentTarget.contains(to)) return;
    isInside.value = false;
    isOpen.value = false;
  };
  const at = usePlace();
  const isListed = isInside.value && isOpen.value && text !== "";
  return (
    <div
      class={useIsNone() ? "search none" : "search"}
      role="search"
      onFocusIn={onFocus}
      onFocusOut={onBlur}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        leave();
        event.stopPropagation();
      }}
    >
      <i class="lens" />
      <input
        id="search"
        type="text"
        spellcheck={false}
        autocomplete="off"
        placeholder="Search methods, threads, /regex/"
        aria-label="Search all panels"
        role="combobox"
        aria-expanded={isListed}
        aria-controls="search-list"
        aria-autocomplete="list"
        {...(isListed && at >= 0 ? { "aria-activedescendant": optionId(at) } : {})}
        value={text}
        onInput={(event) => {
          isOpen.value = true;
          store.search.value = event.currentTarget.value;
        }}
        onClick={() => (isOpen.value = true)}
        onKeyDown={onKey}
      />
      {text === "" ? <kbd>/</kbd> : <Steps />}
      {isListed ? <SearchList onChosen={() => (isOpen.value = false)} /> : null}
    </div>
  );
}

function useIsNone(): boolean {
  const { store, panels } = useApp();
  if (store.search.value === "") return false;
  const { found } = panels;
  return (
    found.answer.value.value !== null && !found.answer.value.isLoading && found.count.value === 0
  );
}

// The place of the match that was walked to, or of the method selected elsewhere; -1: none.
function usePlace(): number {
  const { store, panels } = useApp();
  if (store.search.value === "") return -1;
  const { place, answer } = panels.found;
  const ranks = answer.value.value?.ranks ?? [];
  return place.value >= ranks.length ? place.value : ranks.indexOf(store.method.value ?? -1);
}

// How much was found, and the buttons that walk it.
function Steps() {
  const { store, panels } = useApp();
  const { found } = panels;
  const { value, error } = found.answer.value;
  const count = found.count.value;
  const at = usePlace();
  return (
    <>
      {error !== null ? (
        <span class="found bad" title={error}>
          !
        </span>
      ) : value === null ? null : (
        <span class="found" title={`${plural(value.set.calls, "call")} of what is found`}>
          {count === 0
            ? "none"
            : at >= 0
              ? `${formatCount(at + 1)} of ${formatCount(count)}`
              : formatCount(count)}
        </span>
      )}
      <span class="steps">
        <button aria-label="Previous match" title="Shift+Enter" onClick={() => found.walk(-1)}>
          <i class="up" />
        </button>
        <button aria-label="Next match" title="Enter" onClick={() => found.walk(1)}>
          <i class="down" />
        </button>
        <button aria-label="Clear the search" onClick={() => clearSearch(store)}>
          <i class="cross" />
        </button>
      </span>
    </>
  );
}
