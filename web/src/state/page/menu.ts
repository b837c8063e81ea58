// A menu that is open somewhere on the page.

export type MenuItem =
  | { readonly kind: "line" }
  // The note is the heading of the notes of the entries below it.
  | { readonly kind: "head"; readonly label: string; readonly note?: string }
  | {
      readonly kind: "action";
      readonly label: string;
      // The key that does the same.
      readonly hint?: string;
      // What tells the entry from others, as the number of a thread.
      readonly note?: string;
      readonly isChecked?: boolean;
      // Of the entries beside it one is chosen.
      readonly isOneOf?: boolean;
      // The entry is greyed; its note says what it lacks.
      readonly isOff?: boolean;
      // A menu of choices stays open after a choice.
      readonly stays?: boolean;
      run(): void;
      // Chooses this entry alone among its like.
      alone?(): void;
    };

export interface Menu {
  readonly x: number;
  readonly y: number;
  readonly label: string;
  // Read anew while the menu is open, so that marks follow the state.
  items(): readonly MenuItem[];
}

export const LINE: MenuItem = { kind: "line" };

export function head(label: string, note?: string): MenuItem {
  return { kind: "head", label, ...(note === undefined ? {} : { note }) };
}

export function item(label: string, run: () => void, hint?: string): MenuItem {
  return { kind: "action", label, run, ...(hint === undefined ? {} : { hint }) };
}

export function itemOff(label: string, why: string): MenuItem {
  return { kind: "action", label, note: why, isOff: true, run: () => undefined };
}

type Extras = Partial<Pick<Extract<MenuItem, { kind: "action" }>, "hint" | "note" | "alone">>;

export function choice(
  label: string,
  isChecked: boolean,
  run: () => void,
  extras: Extras = {},
): MenuItem {
  return { kind: "action", label, isChecked, stays: true, run, ...extras };
}

// A choice of which one alone is made.
export function oneOf(
  label: string,
  isChecked: boolean,
  run: () => void,
  extras: Extras & { readonly stays?: boolean } = {},
): MenuItem {
  return { kind: "action", label, isChecked, isOneOf: true, stays: true, run, ...extras };
}
