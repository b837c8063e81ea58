// What redaction does to a download: names that leave as they are, and names that become hashes.

import { formatCount, plural } from "../../base/format";

// The classes of one package.
export interface RedactedPackage {
  readonly name: string;
  readonly isKept: boolean;
  readonly methods: number;
  // One of its methods, and what it becomes.
  readonly example: string;
  readonly becomes: string;
}

export interface RedactionPreview {
  readonly methodsKept: number;
  readonly methodsReplaced: number;
  readonly threadsReplaced: number;
  readonly filesLeftOut: number;
  readonly propertiesLeftOut: number;
  // Those that are kept first.
  readonly packages: readonly RedactedPackage[];
}

// What leaves and what does not, in two sentences.
export function redactionWords(preview: RedactionPreview): string {
  const leaves =
    preview.methodsKept === 0
      ? "No method keeps its name"
      : `${plural(preview.methodsKept, "method")} leave${preview.methodsKept === 1 ? "s" : ""} by name`;
  const { threadsReplaced, filesLeftOut, propertiesLeftOut } = preview;
  const leftOut = [
    ...(threadsReplaced > 0 ? [`the names of ${plural(threadsReplaced, "thread")}`] : []),
    ...(filesLeftOut > 0 ? [plural(filesLeftOut, "source file name")] : []),
    ...(propertiesLeftOut > 0 ? [plural(propertiesLeftOut, "property", "properties")] : []),
  ];
  return (
    `${leaves}, ${formatCount(preview.methodsReplaced)} as hashes. ` +
    `${leftOut.length > 0 ? `Left out: ${leftOut.join(", ")}. ` : ""}Times and who called whom stay.`
  );
}

export function packageLabel(one: RedactedPackage): string {
  const name = one.name === "" ? "(no package)" : one.name;
  return `${name}, ${plural(one.methods, "method")}`;
}
