import type { App } from "../../state/page/app";
import type { MenuItem } from "../../state/page/menu";

// Opens a menu under a button.
export function menuBelow(
  app: App,
  button: HTMLElement,
  label: string,
  items: () => readonly MenuItem[],
): void {
  const box = button.getBoundingClientRect();
  app.menu.value = { x: box.left, y: box.bottom + 4, label, items };
}
