// Which rows of a long list are near the screen. Browsers cap an element's height (Chromium at
// 33 million pixels), so very long lists scroll in proportion instead of by pixel.

export const MAX_SCROLL_PX = 15_000_000;

interface VirtualWindow {
  readonly first: number;
  readonly last: number;
  // Height of the whole scrolled content, and the top of the first row in it.
  readonly height: number;
  readonly top: number;
}

export function virtualWindow(
  count: number,
  rowPx: number,
  scrollTop: number,
  viewPx: number,
  overscan = 8,
): VirtualWindow {
  const full = count * rowPx;
  const height = Math.min(full, MAX_SCROLL_PX);
  const room = Math.max(1, height - viewPx);
  const real =
    full <= MAX_SCROLL_PX ? scrollTop : (Math.min(scrollTop, room) / room) * (full - viewPx);
  const first = Math.max(0, Math.floor(real / rowPx) - overscan);
  const last = Math.min(count, Math.ceil((real + viewPx) / rowPx) + overscan);
  return { first, last: Math.max(first, last), height, top: scrollTop - real + first * rowPx };
}

// The scroll position at which row `ix` shows: the present one if the row shows already, else one
// with the row in the middle.
export function scrollToShow(
  ix: number,
  count: number,
  rowPx: number,
  scrollTop: number,
  viewPx: number,
): number {
  const full = count * rowPx;
  const scale = full <= MAX_SCROLL_PX ? 1 : (MAX_SCROLL_PX - viewPx) / Math.max(1, full - viewPx);
  const real = scrollTop / scale;
  const top = ix * rowPx;
  if (top >= real && top + rowPx <= real + viewPx) return scrollTop;
  const wanted = Math.max(0, Math.min(top - (viewPx - rowPx) / 2, full - viewPx));
  return wanted * scale;
}
