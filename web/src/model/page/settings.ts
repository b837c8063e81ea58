// The settings of a user. The program stores them as an object that it does not understand.

import { BUDGETS, type Hz } from "../timeline/lanes";
import type { ColourBy, PaletteName } from "../colour";
import { withWidth, type Widths } from "../widths";

export type ThemeName = "system" | "light" | "dark";

export interface Settings {
  readonly theme: ThemeName;
  readonly palette: PaletteName;
  readonly colourBy: ColourBy;
  readonly isClassic: boolean;
  // Whether the overview has a strip for each of the busiest threads, and not the CPU time and waits of one.
  readonly isOverviewOfThreads: boolean;
  readonly isMainFirst: boolean;
  // Whether a file that was recorded anew is read again without asking.
  readonly isReloadedByItself: boolean;
  readonly columns: readonly string[] | null;
  // The columns chosen in the other tables, by table.
  readonly tableColumns: Readonly<Record<string, readonly string[]>>;
  // The widths of columns, by table and column, in pixels; what is not here has its usual width.
  readonly columnWidths: Readonly<Record<string, Widths>>;
  // The width of the names beside the timeline, in pixels; null for what suits the window.
  readonly gutter: number | null;
  // Whether tables show names without package and signature.
  readonly isShortNames: boolean;
  // Whether methods have the names of the file, where a mapping gave them those of the source.
  readonly isWrittenNames: boolean;
  // The timeline's share of the height of timeline and lower panel together.
  readonly split: number;
  // Whether the details pane is open; null: where the window has room for it.
  readonly isDetailsOpen: boolean | null;
  // The details pane's share of the width of the lower panel, or of its height where it lies below.
  readonly detailsShare: number;
  // Package prefixes that "my code only" hides. Whether it is on belongs to the view of a trace, not here: a trace that is
  // opened later would have numbers of a part of its calls.
  readonly hiddenPackages: readonly string[];
  // The display whose frames are the budget of frames.
  readonly frameHz: Hz;
  // A link to open a source, with {file}, {line} and {class} in it; empty for none.
  readonly sourceLink: string;
}

export const DEFAULT_SETTINGS: Settings = {
  theme: "system",
  palette: "calm",
  colourBy: "rank",
  isClassic: false,
  isOverviewOfThreads: false,
  isMainFirst: true,
  isReloadedByItself: false,
  columns: null,
  tableColumns: {},
  columnWidths: {},
  gutter: null,
  isShortNames: false,
  isWrittenNames: false,
  split: 0.56,
  isDetailsOpen: null,
  detailsShare: 0.32,
  hiddenPackages: [
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "kotlin.",
    "kotlinx.",
    "android.",
    "androidx.",
    "com.android.",
    "dalvik.",
    "libcore.",
  ],
  frameHz: 60,
  sourceLink: "",
};

type Fields = Readonly<Record<string, unknown>>;

function oneOf<T extends string>(value: unknown, choices: readonly T[], otherwise: T): T {
  return choices.find((choice) => choice === value) ?? otherwise;
}

function texts(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null;
  return value.filter((item): item is string => typeof item === "string");
}

function textLists(value: unknown): Record<string, readonly string[]> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, list]): [string, string[]][] => {
      const known = texts(list);
      return known === null ? [] : [[key, known]];
    }),
  );
}

function widthTables(value: unknown): Record<string, Widths> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([table, widths]): [string, Widths][] => {
      if (typeof widths !== "object" || widths === null) return [];
      const known = Object.entries(widths).reduce<Widths>(
        (all, [id, px]) => (typeof px === "number" && px > 0 ? withWidth(all, id, px) : all),
        {},
      );
      return [[table, known]];
    }),
  );
}

// What is usual stands in base.css, too.
export const GUTTER_PX = { least: 110, usual: 216, most: 640 };

export function fittingGutter(px: number): number {
  return Math.round(Math.min(GUTTER_PX.most, Math.max(GUTTER_PX.least, px)));
}

function flag(value: unknown, otherwise: boolean): boolean {
  return typeof value === "boolean" ? value : otherwise;
}

function share(value: unknown, otherwise: number): number {
  return typeof value === "number" && value > 0.1 && value < 0.9 ? value : otherwise;
}

// Settings as the program gives them back; anything unknown or broken falls back to the default.
export function readSettings(fields: Fields): Settings {
  const standard = DEFAULT_SETTINGS;
  return {
    theme: oneOf(fields["theme"], ["system", "light", "dark"], standard.theme),
    palette: oneOf(fields["palette"], ["calm", "classic"], standard.palette),
    colourBy: oneOf(fields["colour_by"], ["rank", "package", "cpu"], standard.colourBy),
    isClassic: flag(fields["classic"], standard.isClassic),
    isOverviewOfThreads: flag(fields["overview_threads"], standard.isOverviewOfThreads),
    isMainFirst: flag(fields["main_first"], standard.isMainFirst),
    isReloadedByItself: flag(fields["reload_by_itself"], standard.isReloadedByItself),
    columns: texts(fields["columns"]),
    tableColumns: textLists(fields["table_columns"]),
    columnWidths: widthTables(fields["column_widths"]),
    gutter: typeof fields["gutter"] === "number" ? fittingGutter(fields["gutter"]) : null,
    isShortNames: flag(fields["short_names"], standard.isShortNames),
    isWrittenNames: flag(fields["written_names"], standard.isWrittenNames),
    split: share(fields["split"], standard.split),
    isDetailsOpen: typeof fields["details"] === "boolean" ? fields["details"] : null,
    detailsShare: share(fields["details_share"], standard.detailsShare),
    hiddenPackages: texts(fields["hidden_packages"]) ?? standard.hiddenPackages,
    frameHz: BUDGETS.find(({ hz }) => hz === fields["frame_hz"])?.hz ?? standard.frameHz,
    sourceLink:
      typeof fields["source_link"] === "string" ? fields["source_link"] : standard.sourceLink,
  };
}

export function writeSettings(settings: Settings): Fields {
  return {
    theme: settings.theme,
    palette: settings.palette,
    colour_by: settings.colourBy,
    classic: settings.isClassic,
    overview_threads: settings.isOverviewOfThreads,
    main_first: settings.isMainFirst,
    reload_by_itself: settings.isReloadedByItself,
    ...(settings.columns === null ? {} : { columns: settings.columns }),
    table_columns: settings.tableColumns,
    ...(Object.keys(settings.columnWidths).length === 0
      ? {}
      : { column_widths: settings.columnWidths }),
    ...(settings.gutter === null ? {} : { gutter: settings.gutter }),
    short_names: settings.isShortNames,
    written_names: settings.isWrittenNames,
    split: Math.round(settings.split * 1000) / 1000,
    ...(settings.isDetailsOpen === null ? {} : { details: settings.isDetailsOpen }),
    details_share: Math.round(settings.detailsShare * 1000) / 1000,
    hidden_packages: settings.hiddenPackages,
    frame_hz: settings.frameHz,
    source_link: settings.sourceLink,
  };
}
