// Where a card stands beside the pointer: below it and to its right where there is room, within the panel that it is about
// if it can, and within the window in any case.

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const ASIDE_PX = 16;
const BELOW_PX = 14;
const EDGE_PX = 4;

// The first of the places at which the card ends within `least` and `most`; else the last, moved into it.
function fit(places: readonly number[], length: number, least: number, most: number): number {
  const fits = places.find((place) => place >= least && place + length <= most);
  return fits ?? Math.max(least, Math.min(places[places.length - 1] ?? least, most - length));
}

// The left upper corner of a card of this size, in the window's pixels; the pointer is one of the panel's.
export function placeCard(
  at: { readonly x: number; readonly y: number },
  card: { readonly width: number; readonly height: number },
  panel: Box,
  page: { readonly width: number; readonly height: number },
): { readonly left: number; readonly top: number } {
  const x = panel.left + at.x;
  const y = panel.top + at.y;
  const tops = [y + BELOW_PX, y - BELOW_PX - card.height];
  const bottom = Math.min(panel.top + panel.height, page.height - EDGE_PX);
  const isRoomy = tops.some((top) => top >= panel.top && top + card.height <= bottom);
  return {
    left: fit([x + ASIDE_PX, x - ASIDE_PX - card.width], card.width, EDGE_PX, page.width - EDGE_PX),
    top: isRoomy
      ? fit(tops, card.height, panel.top, bottom)
      : fit(tops, card.height, EDGE_PX, page.height - EDGE_PX),
  };
}
