// A cell of a table.

import { formatPercent } from "../../base/format";

// Draws the percentage as a bar beside the number, and says it where the bar has the room.
export function Cell({
  text,
  bar,
  isText = false,
  tone = "",
  onPress,
}: {
  text: string;
  bar: number | null;
  isText?: boolean;
  // The class of what grew or shrank; empty: neither.
  tone?: string;
  // Set where the text is a button.
  onPress?: () => void;
}) {
  return (
    <div
      class={`td${isText ? " text" : ""}${tone === "" ? "" : ` ${tone}`}`}
      role="gridcell"
      {...(isText && text.length > 12 ? { title: text } : {})}
    >
      {bar === null || bar === 0 ? null : (
        <span
          class="bar-mark"
          style={{ "--share": bar.toFixed(4) }}
          data-share={formatPercent(bar, 1)}
        />
      )}
      {onPress === undefined ? (
        text
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
