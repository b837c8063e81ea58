// Which dialog is open; null: none is.

export type Dialog =
  | "help"
  | "palette"
  | "settings"
  | "thread"
  | "marks"
  | "download"
  | "page"
  | "record"
  | "recent"
  | "match"
  | "sides"
  | "site"
  | null;
