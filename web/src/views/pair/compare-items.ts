// The menu entries that compare a call with another one.

import { isolated } from "../../base/text";
import type { Mark } from "../../model/timeline/marks";
import type { PlacedCall } from "../../model/trace";
import { compareWithMark, compareWithMedian, markedCalls } from "../../state/actions/compare-calls";
import { formatRange } from "../../base/format";
import type { App } from "../../state/page/app";
import { item, type MenuItem } from "../../state/page/menu";

interface RankedCall extends PlacedCall {
  readonly rank: number;
}

// The most marked calls that have an entry.
const MOST_MARKS = 5;

// Of a call that is on its way, null, the marked ones are not known yet.
export function compareItems({ store }: App, call: RankedCall | null): MenuItem[] {
  const nameOf = (mark: Mark): string =>
    mark.text === "" ? formatRange(mark.from, mark.to) : isolated(mark.text);
  const marks = call === null ? [] : markedCalls(store, call).slice(0, MOST_MARKS);
  return [
    item("Compare with the median call", () => {
      const asked = call ?? store.call.peek();
      if (asked !== null) compareWithMedian(store, asked, asked.rank);
    }),
    ...marks.map((mark) =>
      item(`Compare with the marked call ${nameOf(mark)}`, () => {
        if (call !== null) compareWithMark(store, call, mark);
      }),
    ),
  ];
}
