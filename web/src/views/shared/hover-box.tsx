// What is told of the thing under the pointer, beside it. It may stand over other panels: one that is low would cut it.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { placeCard } from "../../model/page/card-place";

export function HoverBox({
  at: { x, y },
  children,
}: {
  // The pointer, in pixels of the element that this stands in.
  at: { readonly x: number; readonly y: number };
  children: ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const card = box.current;
    const panel = card?.parentElement?.getBoundingClientRect();
    if (card === null || panel === undefined) return;
    const size = { width: card.offsetWidth, height: card.offsetHeight };
    const page = { width: self.innerWidth, height: self.innerHeight };
    const { left, top } = placeCard({ x, y }, size, panel, page);
    card.style.left = `${left}px`;
    card.style.top = `${top}px`;
  });
  return (
    <div class="card" role="tooltip" ref={box}>
      {children}
    </div>
  );
}
