// Where a key leads in a menu, from the button that has the focus, as in the "Menu and Menubar Pattern" of the ARIA Authoring
// Practices Guide: up and down go from line to line, right and left from button to button, and past an end to the other one; who
// types the beginning of a name is led to it.

interface MenuButton {
  readonly label: string;
  // There is another one before it in its line.
  readonly isSecond: boolean;
}

// The number of the button that a key leads to; null: it leads nowhere. `now` is -1 where no button has the focus.
export function walkMenu(buttons: readonly MenuButton[], now: number, key: string): number | null {
  const all = buttons.map((_, at) => at);
  const lines = all.filter((at) => buttons[at]?.isSecond === false);
  const above = lines.filter((at) => at <= now).pop(); // the line of the focus
  switch (key) {
    case "ArrowDown":
      return next(lines, above, 1);
    case "ArrowUp":
      return next(lines, above, -1);
    case "ArrowRight":
      return next(all, now, 1);
    case "ArrowLeft":
      return next(all, now, -1);
    case "Home":
      return lines[0] ?? null;
    case "End":
      return lines[lines.length - 1] ?? null;
    default:
      return null;
  }
}

// The one behind `now` in a ring, or before it; of what is not in it, the first or the last.
function next(ring: readonly number[], now: number | undefined, by: 1 | -1): number | null {
  const at = now === undefined ? -1 : ring.indexOf(now);
  const { length } = ring;
  return ring[at === -1 && by === -1 ? length - 1 : (at + by + length) % length] ?? null;
}

// The line whose label begins with what was typed, whatever its case: the focused one or the next; where one letter was typed, also
// more than once, each press leads to the next line that begins with it.
export function typedLine(
  buttons: readonly MenuButton[],
  now: number,
  typed: string,
): number | null {
  const first = typed.slice(0, 1);
  const isOneLetter = typed === first.repeat(typed.length);
  const start = (isOneLetter ? first : typed).toLowerCase();
  const from = isOneLetter ? now + 1 : Math.max(0, now);
  const found = buttons.flatMap(({ label, isSecond }, at) =>
    !isSecond && label.toLowerCase().startsWith(start) ? at : [],
  );
  return found.find((at) => at >= from) ?? found[0] ?? null;
}
