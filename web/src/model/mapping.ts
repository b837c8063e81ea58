// Mapping files of R8 and ProGuard, as far as the page knows them, and what one of them knows of a trace.

import { formatCount } from "../base/format";

export interface NamesKnown {
  // The mapping's file.
  readonly mapping: string;
  // It was given to the page, which can forget it.
  readonly isGiven: boolean;
  // What was counted when the trace was read by the mapping; null: its index was saved.
  readonly counts: {
    // The trace names the mapping by its id.
    readonly isById: boolean;
    readonly renamed: number;
    // Methods of classes that the mapping renames, and how many of these it knows.
    readonly asked: number;
    readonly known: number;
  } | null;
}

// How much of a file is looked at.
export const MAPPING_HEAD = 65_536;

// Whether a text has a line that names a class: "pkg.Class -> a.b:". The lines before it are comments.
export function isMappingText(text: string): boolean {
  for (const line of text.split("\n", 2000)) {
    const plain = line.replace(/^\uFEFF/, "").trimEnd();
    if (plain === "" || plain.startsWith("#")) continue;
    return !plain.startsWith(" ") && plain.endsWith(":") && plain.includes(" -> ");
  }
  return false;
}

// Whether a packed file is called as mappings are.
export function isMappingName(name: string): boolean {
  return /mapping[^/]*\.(?:txt|map)\.(?:gz|zst)$/i.test(name);
}

// In whole percent, and never 100 of what is not all.
const shareOf = (known: number, asked: number): number => Math.floor((known * 100) / asked);

// What is said of the names, behind the mapping's.
export function knownText({ counts }: NamesKnown): string {
  if (counts === null) return "";
  if (counts.isById) return ", whose id the trace has";
  return counts.asked > 0
    ? `, which knows ${shareOf(counts.known, counts.asked)} % of the names (${formatCount(counts.known)} of ${formatCount(counts.asked)})`
    : `, which renames ${formatCount(counts.renamed)} methods`;
}
