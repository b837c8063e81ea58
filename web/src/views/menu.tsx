// The one open menu: arrows, Home, End and the beginning of a name move, Enter chooses, Escape or a press outside closes.

import { useLayoutEffect, useRef } from "preact/hooks";
import { typedLine, walkMenu } from "../model/page/menu-walk";
import type { Menu, MenuItem } from "../state/page/menu";
import { useApp } from "./shared/context";

export function MenuHost() {
  const { menu } = useApp();
  const open = menu.value;
  // The section is a landmark: without one, screen readers would report a menu that is in no part
  // of the page.
  return open === null ? null : (
    <section aria-label="Menu">
      <OpenMenu key={`${open.x},${open.y},${open.label}`} menu={open} />
    </section>
  );
}

// Who types the beginning of a name makes no longer pause between two keys.
const TYPED_MS = 1000;

function OpenMenu({ menu }: { menu: Menu }) {
  const app = useApp();
  const box = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: "", at: 0 });
  const close = (): void => {
    app.menu.value = null;
  };
  useLayoutEffect(() => {
    const before = document.activeElement;
    const element = box.current;
    if (element === null) return undefined;
    const { offsetWidth: width, offsetHeight: height } = element;
    element.style.left = `${Math.max(6, Math.min(menu.x, innerWidth - width - 8))}px`;
    element.style.top = `${Math.max(6, Math.min(menu.y, innerHeight - height - 8))}px`;
    element.querySelector<HTMLElement>("button")?.focus();
    const outside = (event: PointerEvent): void => {
      if (event.target instanceof Node && !element.contains(event.target)) close();
    };
    self.addEventListener("pointerdown", outside, true);
    return () => {
      self.removeEventListener("pointerdown", outside, true);
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const onKey = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      close();
    } else if (moveFocus(box.current, event, typed.current)) event.preventDefault();
  };
  return (
    <div
      class="menu"
      role="menu"
      aria-label={menu.label}
      ref={box}
      onKeyDown={onKey}
      // Firefox presses a button when the space comes up.
      onKeyUp={(event) => {
        if (event.key === " " && typed.current.text !== "") event.preventDefault();
      }}
    >
      {menu.items().map((entry, ix) => (
        <Entry key={ix} entry={entry} close={close} />
      ))}
    </div>
  );
}

function Entry({ entry, close }: { entry: MenuItem; close: () => void }) {
  switch (entry.kind) {
    case "line":
      return <hr />;
    case "head":
      return (
        <div class="menu-head" role="presentation">
          <span>{entry.label}</span>
          {entry.note === undefined ? null : <span>{entry.note}</span>}
        </div>
      );
    case "action": {
      const isChoice = entry.isChecked !== undefined;
      const isOneOf = entry.isOneOf === true;
      const line = (
        <button
          role={isOneOf ? "menuitemradio" : isChoice ? "menuitemcheckbox" : "menuitem"}
          {...(isChoice ? { "aria-checked": entry.isChecked } : {})}
          {...(entry.isOff === true ? { "aria-disabled": true, class: "muted" } : {})}
          onClick={() => {
            if (entry.isOff === true) return;
            if (entry.stays !== true) close();
            entry.run();
          }}
        >
          {isChoice ? (
            <i class={`check${isOneOf ? " one" : ""}${entry.isChecked === true ? " on" : ""}`} />
          ) : null}
          <span>{entry.label}</span>
          {entry.note === undefined ? null : <small class="muted">{entry.note}</small>}
          {entry.hint === undefined ? null : <kbd>{entry.hint}</kbd>}
        </button>
      );
      const { alone } = entry;
      if (alone === undefined) return line;
      return (
        <div class="menu-line" role="presentation">
          {line}
          <button
            class="menu-alone"
            role="menuitem"
            aria-label={`Only ${entry.label}`}
            onClick={() => {
              close();
              alone();
            }}
          >
            only
          </button>
        </div>
      );
    }
  }
}

// Moves the focus where the key leads; false where it leads nowhere. A space within what is typed is a part of it, and presses no
// button.
function moveFocus(
  box: HTMLElement | null,
  { key, timeStamp, ctrlKey, altKey, metaKey }: KeyboardEvent,
  typed: { text: string; at: number },
): boolean {
  if (box === null || ctrlKey || altKey || metaKey) return false;
  const buttons = [...box.querySelectorAll<HTMLElement>("button")];
  const now = buttons.findIndex((button) => button === document.activeElement);
  const known = buttons.map((button) => ({
    label: button.querySelector("span")?.textContent ?? "",
    isSecond: button.classList.contains("menu-alone"),
  }));
  const text = timeStamp - typed.at > TYPED_MS ? "" : typed.text;
  const isTyped = key.length === 1 && (key !== " " || text !== "");
  typed.text = isTyped ? text + key : key === "Shift" ? text : "";
  if (isTyped) typed.at = timeStamp;
  const to = isTyped ? typedLine(known, now, typed.text) : walkMenu(known, now, key);
  if (to !== null) buttons[to]?.focus();
  return isTyped || to !== null;
}
