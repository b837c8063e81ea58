// The key table. Help, the palette and the keyboard all read it, so they cannot disagree.
//
// `code` is the key's place (KeyW), so that WASD lie where they lie on any layout; `key` is what it
// types, for keys that people know by their sign.

export type ActionId =
  | "zoom-in"
  | "zoom-out"
  | "pan-left"
  | "pan-right"
  | "whole-trace"
  | "fit"
  | "zoom-picked"
  | "parent"
  | "child"
  | "next-sibling"
  | "prev-sibling"
  | "next-call"
  | "prev-call"
  | "next-in-thread"
  | "prev-in-thread"
  | "search"
  | "next-match"
  | "prev-match"
  | "only-matches"
  | "help"
  | "palette"
  | "escape"
  | "tab-profile"
  | "tab-flame"
  | "tab-tree"
  | "tab-callers"
  | "tab-calls"
  | "tab-trace"
  | "tab-insights"
  | "tab-frames"
  | "tab-changes"
  | "clock"
  | "theme"
  | "classic"
  | "swap-names"
  | "colour-by"
  | "my-code"
  | "hide-lower"
  | "order"
  | "copy-report"
  | "whole-lower"
  | "details"
  | "invert"
  | "sandwich"
  | "next-thread"
  | "prev-thread"
  | "choose-thread"
  | "fold"
  | "copy-name"
  | "copy-short"
  | "copy-stack"
  | "copy-link"
  | "download"
  | "save-page"
  | "commit-view"
  | "mark"
  | "marks"
  | "lens"
  | "settings"
  | "open-file"
  | "read-again"
  | "recent"
  | "record";

export type KeyGroup = "Move" | "Calls" | "Find" | "Panels" | "View" | "Share";

interface KeyBinding {
  readonly action: ActionId;
  readonly label: string;
  readonly group: KeyGroup;
  // The keys as people read them; empty for a command that only the palette has.
  readonly keys: readonly string[];
}

function binding(group: KeyGroup, action: ActionId, label: string, ...keys: string[]): KeyBinding {
  return { action, label, group, keys };
}

export const KEY_TABLE: readonly KeyBinding[] = [
  binding("Move", "zoom-in", "Zoom in at the pointer", "W", "+"),
  binding("Move", "zoom-out", "Zoom out", "S", "-"),
  binding("Move", "pan-left", "Pan to earlier", "A"),
  binding("Move", "pan-right", "Pan to later", "D"),
  binding("Move", "whole-trace", "Whole trace", "0", "Z"),
  binding("Move", "zoom-picked", "Zoom to the selected range or call", "Enter"),
  binding("Move", "fit", "Fit the selection", "F"),
  binding("Move", "commit-view", "Limit the tables to what is in view", "V"),
  binding("Calls", "parent", "Caller of the selected call", "↑"),
  binding("Calls", "child", "First call that it made", "↓"),
  binding("Calls", "prev-sibling", "Previous call of the same caller", "←"),
  binding("Calls", "next-sibling", "Next call of the same caller", "→"),
  binding("Calls", "next-call", "Next call of the method", "."),
  binding("Calls", "prev-call", "Previous call of the method", ","),
  binding("Calls", "next-in-thread", "Next call of the method in its thread", "]"),
  binding("Calls", "prev-in-thread", "Previous call of the method in its thread", "["),
  binding("Calls", "mark", "Mark the selected range or call, or unmark it", "M"),
  binding("Calls", "marks", "Marks", "Shift+M"),
  binding(
    "Calls",
    "lens",
    "Only the selected call, box, bar, rows or method in all panels, and back",
    "L",
  ),
  binding("Find", "search", "Search all panels", "/", "G", "Ctrl+F"),
  binding("Find", "next-match", "Next method found", "Enter in the search field"),
  binding("Find", "prev-match", "Previous method found", "Shift+Enter in the search field"),
  binding("Find", "only-matches", "Show only what is found", "Ctrl+Enter in the search field"),
  binding("Find", "palette", "Command palette", "Ctrl+K", "Ctrl+Shift+P"),
  binding("Find", "help", "Keys and gestures", "?"),
  binding("Find", "escape", "One step back: dialog, search, selection, zoom", "Esc"),
  binding("Panels", "tab-profile", "Profile", "1"),
  binding("Panels", "tab-flame", "Flame", "2"),
  binding("Panels", "tab-tree", "Tree", "3"),
  binding("Panels", "tab-callers", "Callers", "4"),
  binding("Panels", "tab-calls", "Calls", "5"),
  binding("Panels", "tab-trace", "Trace", "6"),
  binding("Panels", "tab-insights", "Insights", "7"),
  binding("Panels", "tab-frames", "Frames, messages and start-up", "8"),
  binding("Panels", "tab-changes", "Changes, where two traces are compared", "9"),
  binding("Panels", "order", "Profile by exclusive or by inclusive time", "O"),
  binding("Panels", "hide-lower", "Hide or show the lower panel", "Q"),
  binding("Panels", "whole-lower", "Lower panel on the whole page, and back", "Shift+Q"),
  binding("Panels", "details", "Hide or show the details", "X"),
  binding("Panels", "invert", "Invert the flame graph", "I"),
  binding("Panels", "sandwich", "The selected method between its callers and callees"),
  binding("View", "clock", "Next clock: wall, CPU, wait", "K"),
  binding("View", "next-thread", "Only the next thread", "N"),
  binding("View", "prev-thread", "Only the previous thread", "P"),
  binding("View", "choose-thread", "Choose threads", "T"),
  binding("View", "fold", "Fold or unfold all threads", "U"),
  binding("View", "colour-by", "Colour by method, package or CPU share", "B"),
  binding("View", "my-code", "My code only: others' time goes to callers"),
  binding("View", "swap-names", "Names of the file or of the source, where a mapping tells both"),
  binding("View", "classic", "Classic mode: the old viewer's colours and mouse"),
  binding("View", "theme", "Next theme: system, light, dark"),
  binding("View", "settings", "Settings"),
  binding("Share", "copy-name", "Copy the method's name", "Ctrl+C"),
  binding("Share", "copy-short", "Copy the short name", "Shift+C"),
  binding("Share", "copy-report", "Copy the selection as Markdown"),
  binding("Share", "copy-stack", "Copy the call's stack"),
  binding("Share", "copy-link", "Copy a link to this view"),
  binding("Share", "download", "Download as another tool's file"),
  binding("Share", "save-page", "Save as one page"),
  binding("Share", "open-file", "Open another trace", "Ctrl+O"),
  binding("Share", "recent", "Recent files"),
  binding("Share", "read-again", "Read the file again"),
  binding("Share", "record", "Record an app on a device"),
];

export const GESTURES: readonly (readonly [string, string])[] = [
  ["Drag", "Select a range (classic: zoom to it)"],
  ["Drag on the ruler, classic", "Zoom out"],
  ["Shift+drag, middle button", "Pan"],
  ["Wheel", "Scroll (classic: zoom)"],
  ["Ctrl+wheel, pinch", "Zoom at the pointer"],
  ["Shift+wheel, two fingers", "Pan"],
  ["Click", "Select the call"],
  ["Ctrl+click", "Open the method's source"],
  ["Right click", "What can be done with it"],
  ["Double click", "Fit the call; on the ruler: whole trace"],
  ["F M R D C in Flame, Tree, Callers", "Focus, merge, recursion, drop, collapse; U undoes"],
  ["Shift+Enter in Flame, Tree, Callers", "List the calls of the box or row"],
  ["Shift+↑ ↓, Ctrl+A in a table", "Mark rows; Ctrl+C copies them"],
  ["* in a tree", "Open the heaviest path"],
  ["Right click on a heading", "Columns; copy or save the table"],
  ["Drag a heading's edge, Shift+← → on it", "Width of the column"],
  ["Drag the handles", "Choose the range in view"],
  ["Drag a row's name, Alt+↑ ↓", "Move the row"],
];

interface Pressed {
  readonly key: string;
  readonly code: string;
  readonly isCtrl: boolean;
  readonly isShift: boolean;
  readonly isAlt: boolean;
}

const BY_CODE: ReadonlyMap<string, ActionId> = new Map([
  ["KeyW", "zoom-in"],
  ["KeyS", "zoom-out"],
  ["KeyA", "pan-left"],
  ["KeyD", "pan-right"],
]);

const BY_KEY: ReadonlyMap<string, ActionId> = new Map([
  ["+", "zoom-in"],
  ["=", "zoom-in"],
  ["-", "zoom-out"],
  ["0", "whole-trace"],
  ["z", "whole-trace"],
  ["Enter", "zoom-picked"],
  ["f", "fit"],
  ["v", "commit-view"],
  ["ArrowUp", "parent"],
  ["ArrowDown", "child"],
  ["ArrowLeft", "prev-sibling"],
  ["ArrowRight", "next-sibling"],
  [".", "next-call"],
  [",", "prev-call"],
  ["]", "next-in-thread"],
  ["[", "prev-in-thread"],
  ["/", "search"],
  ["g", "search"],
  ["?", "help"],
  ["Escape", "escape"],
  ["1", "tab-profile"],
  ["2", "tab-flame"],
  ["3", "tab-tree"],
  ["4", "tab-callers"],
  ["5", "tab-calls"],
  ["6", "tab-trace"],
  ["7", "tab-insights"],
  ["8", "tab-frames"],
  ["9", "tab-changes"],
  ["o", "order"],
  ["q", "hide-lower"],
  ["Q", "whole-lower"],
  ["x", "details"],
  ["i", "invert"],
  ["k", "clock"],
  ["n", "next-thread"],
  ["p", "prev-thread"],
  ["t", "choose-thread"],
  ["u", "fold"],
  ["b", "colour-by"],
  ["m", "mark"],
  ["l", "lens"],
  ["M", "marks"],
  ["C", "copy-short"],
]);

const BY_CTRL: ReadonlyMap<string, ActionId> = new Map([
  ["f", "search"],
  ["k", "palette"],
  ["c", "copy-name"],
  ["o", "open-file"],
]);

// The action of a pressed key; null when the key has none. On AZERTY `KeyW` types z and `KeyA`
// types q: there the place of the key counts, and the action of the letter is reached by `0` or the
// palette.
export function actionFor(pressed: Pressed): ActionId | null {
  const key =
    pressed.key.length === 1 && !pressed.isShift ? pressed.key.toLowerCase() : pressed.key;
  if (pressed.isAlt) return null;
  if (pressed.isCtrl && pressed.isShift) return key.toLowerCase() === "p" ? "palette" : null;
  if (pressed.isCtrl) return BY_CTRL.get(key) ?? null;
  const byPlace = pressed.isShift ? undefined : BY_CODE.get(pressed.code);
  if (byPlace !== undefined) return byPlace;
  // AZERTY types digits with Shift: without Shift the place of the key counts.
  const digit = /^Digit([0-8])$/.exec(pressed.code)?.[1];
  return (
    BY_KEY.get(key) ?? (digit === undefined || pressed.isShift ? null : (BY_KEY.get(digit) ?? null))
  );
}
