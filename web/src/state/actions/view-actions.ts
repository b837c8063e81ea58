// Moves the view: pan, zoom, ranges and breadcrumbs. Each move is animated briefly, unless the user
// asked for less motion.

import { batch } from "@preact/signals";
import { clamp } from "../../base/math";
import {
  blendRange,
  fitRange,
  panRange,
  revealRange,
  sameRange,
  spanOf,
  zoomRange,
  type Range,
} from "../../base/time";
import type { Store } from "../store";

const GLIDE_MS = 140;

export interface ViewActions {
  glideTo(target: Range): void;
  jumpTo(target: Range): void;
  // From a view that may be another one than that on the screen.
  zoomFrom(view: Range, at: number, factor: number): void;
  panFrom(view: Range, by: number): void;
  zoomBy(factor: number, at?: number): void;
  panBy(share: number): void;
  reveal(inner: Range): void;
  wholeTrace(): void;
  zoomToPicked(): void;
  commit(range: Range): void;
  cutCrumbs(count: number): void;
}

export function createViewActions(store: Store): ViewActions {
  let frame = 0;
  let target: Range | null = null;

  const end = (): number => store.info.peek()?.span ?? 1;
  const current = (): Range => target ?? store.view.peek();
  const isCalm = (): boolean => self.matchMedia("(prefers-reduced-motion: reduce)").matches;

  const jumpTo = (range: Range): void => {
    self.cancelAnimationFrame(frame);
    target = null;
    store.view.value = fitRange(range, end());
  };

  const glideTo = (range: Range): void => {
    const goal = fitRange(range, end());
    const start = store.view.peek();
    if (isCalm() || sameRange(start, goal)) return jumpTo(goal);
    self.cancelAnimationFrame(frame);
    target = goal;
    const began = performance.now();
    const step = (now: number): void => {
      const share = clamp((now - began) / GLIDE_MS, 0, 1);
      const eased = 1 - (1 - share) ** 3;
      store.view.value = share >= 1 ? goal : blendRange(start, goal, eased);
      if (share < 1) frame = self.requestAnimationFrame(step);
      else target = null;
    };
    frame = self.requestAnimationFrame(step);
  };

  const commit = (range: Range): void =>
    batch(() => {
      const fitted = fitRange(range, end());
      const above = store.crumbs
        .peek()
        .filter(
          (crumb) =>
            crumb.from <= fitted.from && crumb.to >= fitted.to && !sameRange(crumb, fitted),
        );
      store.crumbs.value = [...above, fitted];
      store.picked.value = null;
    });

  return {
    jumpTo,
    glideTo,
    commit,
    zoomFrom: (view, at, factor) => jumpTo(zoomRange(view, at, factor, end())),
    panFrom: (view, by) => jumpTo(panRange(view, by, end())),
    zoomBy: (factor, at) => {
      const from = current();
      const middle = (from.from + from.to) / 2;
      glideTo(zoomRange(from, at ?? store.pointer.peek()?.time ?? middle, factor, end()));
    },
    panBy: (share) => {
      const from = current();
      glideTo(panRange(from, spanOf(from) * share, end()));
    },
    reveal: (inner) => {
      const shown = revealRange(current(), inner, end());
      if (!sameRange(shown, current())) glideTo(shown);
    },
    wholeTrace: () => {
      batch(() => {
        store.crumbs.value = [];
        store.picked.value = null;
      });
      glideTo({ from: 0, to: end() });
    },
    zoomToPicked: () => {
      const picked = store.picked.peek();
      const call = store.call.peek();
      if (picked !== null) {
        commit(picked);
        glideTo(picked);
      } else if (call !== null) {
        const air = Math.max(1, (call.end - call.start) * 0.05);
        glideTo({ from: call.start - air, to: call.end + air });
      }
    },
    cutCrumbs: (count) => {
      const left = store.crumbs.peek().slice(0, count);
      batch(() => {
        store.crumbs.value = left;
        store.picked.value = null;
      });
      glideTo(left[left.length - 1] ?? { from: 0, to: end() });
    },
  };
}
