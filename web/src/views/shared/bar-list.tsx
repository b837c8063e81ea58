// The bars of a distribution as one control, as bars are thin: a press means the nearest bar that has calls, and arrow keys
// walk the bars.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { barText, pressText } from "../../model/calls/calls-text";
import { nearestBar, stepBar } from "../../model/calls/histogram-bars";
import type { SideBar } from "../../model/calls/histogram-sides";
import { Press } from "../../model/timeline/gesture";
import type { HistogramBar } from "../../model/trace";
import type { CallWords } from "../../model/words";

interface Props {
  // Names the list on the page, and its bars.
  readonly id: string;
  readonly class: string;
  readonly bars: readonly SideBar[];
  readonly words: CallWords;
  readonly label: string;
  // The bar that is chosen; -1: none is.
  readonly chosen: number;
  onBar(bar: HistogramBar): void;
  // What stands over the bars.
  readonly children: ComponentChildren;
}

export function BarList({ id, class: name, bars, words, label, chosen, onBar, children }: Props) {
  const press = useMemo(() => new Press(), []);
  const highest = bars.reduce((most, bar) => Math.max(most, bar.count, bar.old ?? 0), 1);
  // The height is the square root of the count: one slow call among thousands must still be seen.
  const heightOf = (count: number): string =>
    `${count === 0 ? 0 : Math.max(0.06, Math.sqrt(count / highest)) * 100}%`;
  return (
    <div
      class={`bar-list ${name}`}
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={chosen < 0 ? undefined : `${id}-${chosen}`}
      title={chosen < 0 ? pressText(words) : undefined}
      onPointerDown={(event) => press.begin(event)}
      onClick={(event) => {
        if (!press.isClick(event)) return;
        const box = event.currentTarget.getBoundingClientRect();
        const at = ((event.clientX - box.left) / Math.max(1, box.width)) * bars.length;
        const bar = bars[nearestBar(bars, at)];
        if (bar !== undefined) onBar(bar);
      }}
      onKeyDown={(event) => {
        const next = bars[stepBar(bars, chosen, event.key)];
        if (next === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        onBar(next);
      }}
    >
      {children}
      {bars.map((bar, ix) => {
        const text = barText(bar, words);
        return (
          <div
            key={bar.from}
            id={`${id}-${ix}`}
            class={ix === chosen ? "bar-of-list on" : "bar-of-list"}
            role="option"
            aria-selected={ix === chosen}
            aria-disabled={bar.count === 0}
            title={bar.count === 0 ? text : `${text}; press to list them`}
          >
            <span class="bar-fill" style={{ height: heightOf(bar.count) }} />
            {bar.old === undefined || bar.old === 0 ? null : (
              <span class="bar-old" style={{ height: heightOf(bar.old) }} />
            )}
            <span class="sr-only">{text}</span>
          </div>
        );
      })}
    </div>
  );
}
