// A cell of a table.

import type { ComponentChildren } from "preact";
import { formatPercent, grouped } from "../../base/format";

// Draws the percentage as a bar beside the number, and says it where the bar has the room.
export function Cell({
  text,
  bar,
  isText = false,
  tone = "",
  drawn,
  onPress,
}: {
  text: string;
  bar: number | null;
  isText?: boolean;
  // The class of what grew or shrank; empty: neither.
  tone?: string;
  // What stands in place of the text, which is its title then.
  drawn?: ComponentChildren;
  // Set where the text is a button.
  onPress?: () => void;
}) {
  return (
    <div
      class={`td${isText ? " text" : ""}${tone === "" ? "" : ` ${tone}`}`}
      role="gridcell"
      {...((isText && text.length > 12) || drawn !== undefined ? { title: text } : {})}
    >
      {bar === null || bar === 0 ? null : (
        <span
          class="bar-mark"
          style={{ "--share": bar.toFixed(4) }}
          data-share={formatPercent(bar, 1)}
        />
      )}
      {onPress === undefined ? (
        (drawn ?? (isText ? text : grouped(text)))
      ) : (
        <button
          class="cell-link"
          tabIndex={-1}
          title="List them, the slowest first"
          onClick={(event) => {
            event.stopPropagation();
            onPress();
          }}
        >
          {text}
        </button>
      )}
    </div>
  );
}
