// Hooks for canvases: the size of an element, and drawing in the next frame after a change. All of
// them begin in the layout phase: an effect that waits for the frame to be painted would begin a
// frame later.

import { effect, useSignal, type ReadonlySignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

export interface Size {
  readonly width: number;
  readonly height: number;
}

export function useSize(ref: RefObject<HTMLElement | null>): ReadonlySignal<Size> {
  const size = useSignal<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width !== size.peek().width || height !== size.peek().height)
        size.value = { width, height };
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return size;
}

// Follows signals from the layout on.
export function useLayoutSignals(follow: () => void): void {
  useLayoutEffect(() => effect(follow), []);
}

// `prepare` reads signals and says how to draw; the drawing happens once in the next frame. Before a page is printed there is
// no such frame: what is to be drawn, is drawn at once.
export function useDraw(prepare: () => (() => void) | null): void {
  useLayoutEffect(() => {
    let frame = 0;
    let wish: (() => void) | null = null;
    const draw = (): void => {
      self.cancelAnimationFrame(frame);
      const now = wish;
      wish = null;
      now?.();
    };
    const end = effect(() => {
      wish = prepare();
      self.cancelAnimationFrame(frame);
      if (wish !== null) frame = self.requestAnimationFrame(draw);
    });
    self.addEventListener("beforeprint", draw);
    return () => {
      self.removeEventListener("beforeprint", draw);
      self.cancelAnimationFrame(frame);
      end();
    };
  }, []);
}
