// The scrolled body of a long table: only the rows near the screen exist.

import { useSignal, useSignalEffect, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useApp } from "../shared/context";
import { scrollToShow, virtualWindow } from "../../model/table/virtual";

export const ROW_PX = 23;
// The most rows that are printed, from the first on the screen: some pages, not a whole book.
const PRINTED_ROWS = 300;

// A row to scroll to: into the middle, or to the top with the rows that belong to it below.
export interface ShowRow {
  readonly index: number;
  // The number of rows from `index` on that should show, as far as there is room.
  readonly rows: number;
}

interface Props {
  readonly count: number;
  readonly label: string;
  // What the rows are sorted by.
  readonly order: string;
  readonly render: (first: number, last: number) => ComponentChildren;
  readonly onShow?: (first: number, last: number) => void;
  readonly show?: Signal<ShowRow | null>;
  readonly children?: ComponentChildren;
}

export function VirtualRows({ count, label, order, render, onShow, show, children }: Props) {
  const body = useRef<HTMLDivElement>(null);
  const scrollTop = useSignal(0);
  const height = useSignal(300);
  const rows = useRef(count);
  rows.current = count;
  const isPrinting = useSignal(false);
  const screen = virtualWindow(count, ROW_PX, scrollTop.value, height.value);
  const shown = isPrinting.value
    ? { ...screen, last: Math.min(count, screen.first + PRINTED_ROWS) }
    : screen;

  useEffect(() => {
    const element = body.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      keepSelected(element, height.peek());
      height.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const before = (): void => {
      isPrinting.value = true;
    };
    const after = (): void => {
      isPrinting.value = false;
    };
    self.addEventListener("beforeprint", before);
    self.addEventListener("afterprint", after);
    return () => {
      self.removeEventListener("beforeprint", before);
      self.removeEventListener("afterprint", after);
    };
  }, []);
  useEffect(() => onShow?.(shown.first, shown.last));
  // What a filter or hiding leaves begins at its top, and so does another order.
  const { store } = useApp();
  const list = `${store.filter.value} ${store.hide.value} ${order}`;
  const former = useRef(list);
  useEffect(() => {
    if (former.current !== list && body.current !== null) body.current.scrollTop = 0;
    former.current = list;
  }, [list]);

  useSignalEffect(() => {
    const wish = show?.value ?? null;
    const element = body.current;
    if (show === undefined || wish === null || element === null) return;
    // After the next drawing the list has as many rows as the wish counts on.
    self.requestAnimationFrame(() => {
      element.scrollTop = scrollFor(wish, rows.current, element);
      if (show.peek() === wish) show.value = null;
    });
  });

  return (
    <div
      class="table-body"
      role="rowgroup"
      ref={body}
      tabIndex={0}
      aria-label={label}
      onMouseDown={(event) => {
        // A double press acts on the row, and marks no word of it.
        if (event.detail > 1) event.preventDefault();
      }}
      onScroll={(event) => {
        scrollTop.value = event.currentTarget.scrollTop;
        scrollHead(event.currentTarget);
      }}
    >
      <div class="table-space" style={{ height: `${shown.height}px` }} role="presentation">
        <div
          class="table-rows"
          style={{ transform: `translateY(${shown.top}px)` }}
          role="presentation"
        >
          {render(shown.first, shown.last)}
        </div>
      </div>
      {children}
    </div>
  );
}

// The headings stand outside of what scrolls down, and go along when it scrolls aside.
function scrollHead(body: HTMLElement): void {
  const head = body.parentElement?.querySelector(".tr.head");
  if (head instanceof HTMLElement && head.scrollLeft !== body.scrollLeft)
    head.scrollLeft = body.scrollLeft;
  body.classList.toggle("scrolled-aside", body.scrollLeft > 0);
}

// A selected row that was in sight stays there where the list becomes lower, as when the details open below it.
function keepSelected(body: HTMLElement, former: number): void {
  const row = body.querySelector(".tr.selected");
  if (row === null) return;
  const bottom = row.getBoundingClientRect().bottom - body.getBoundingClientRect().top;
  if (bottom <= former + 1 && bottom > body.clientHeight)
    body.scrollTop += bottom - body.clientHeight;
}

function scrollFor(wish: ShowRow, count: number, element: HTMLElement): number {
  const { scrollTop, clientHeight } = element;
  const first = scrollToShow(wish.index, count, ROW_PX, scrollTop, clientHeight);
  if (wish.rows <= 1) return first;
  const last = Math.min(count - 1, wish.index + wish.rows - 1);
  if ((last + 1) * ROW_PX <= first + clientHeight) return first;
  return Math.min(wish.index * ROW_PX, (last + 1) * ROW_PX - clientHeight);
}
