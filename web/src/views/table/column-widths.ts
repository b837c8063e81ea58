// The widths that a user gives to columns: by dragging the edge of a heading, or by Shift and arrows on the heading.

import type { TableId } from "../../model/table/table";
import { withWidth } from "../../model/widths";
import { setSetting } from "../../state/actions/choose";
import { useApp } from "../shared/context";

const STEP_PX = 16;

export interface Widths {
  onPress(event: PointerEvent, id: string): void;
  onKey(event: KeyboardEvent, id: string): void;
  forget(id: string): void;
}

export function useWidths(table: TableId): Widths {
  const { store } = useApp();
  const all = () => store.settings.peek().columnWidths;
  const set = (id: string, px: number): void =>
    setSetting(store, {
      columnWidths: { ...all(), [table]: withWidth(all()[table] ?? {}, id, px) },
    });
  return {
    onPress: (event, id) => {
      const handle = event.currentTarget;
      if (!(handle instanceof HTMLElement) || event.button !== 0) return;
      // A width in pixels is one of the screen, which the page may show larger or smaller than its own.
      const from = headingOf(handle)?.offsetWidth ?? 0;
      const { clientX, pointerId } = event;
      handle.setPointerCapture(pointerId);
      const move = (next: PointerEvent): void => set(id, from + next.clientX - clientX);
      handle.addEventListener("pointermove", move);
      const end = (): void => handle.removeEventListener("pointermove", move);
      handle.addEventListener("pointerup", end, { once: true });
      handle.addEventListener("pointercancel", end, { once: true });
    },
    onKey: (event, id) => {
      const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!event.shiftKey || by === 0 || !(event.target instanceof HTMLElement)) return;
      event.preventDefault();
      event.stopPropagation();
      set(id, (headingOf(event.target)?.offsetWidth ?? 0) + by * STEP_PX);
    },
    forget: (id) => {
      const { [id]: _, ...others } = all()[table] ?? {};
      setSetting(store, { columnWidths: { ...all(), [table]: others } });
    },
  };
}

const headingOf = (inside: HTMLElement): HTMLElement | null =>
  inside.closest<HTMLElement>("[role=columnheader]");
