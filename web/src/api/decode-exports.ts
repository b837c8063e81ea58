// The formats of exports, and how far a download is.

import type { ExportChange, ExportFormat, ExportProgress } from "../model/page/download";
import type { RedactedPackage, RedactionPreview } from "../model/page/redaction";
import {
  BadAnswer,
  fieldsOf,
  flagOr,
  listOf,
  nameOr,
  numberOf,
  numberOr,
  textOf,
  textOr,
} from "./check";

function decodeFormat(value: unknown, path: string): ExportFormat {
  const fields = fieldsOf(value, path);
  return {
    name: textOf(fields, "name"),
    suffix: textOf(fields, "suffix"),
    summary: textOr(fields, "summary", ""),
    isPacked: flagOr(fields, "packed", false),
    tables: listOf(fields["tables"] ?? [], "tables", String),
  };
}

export function decodeExports(value: unknown): ExportFormat[] {
  return listOf(fieldsOf(value, "exports")["formats"], "formats", decodeFormat);
}

function decodeChange(value: unknown, path: string): ExportChange {
  const fields = fieldsOf(value, path);
  return {
    count: numberOf(fields, "count"),
    isTime: textOr(fields, "unit", "") === "ns",
    isAffected: textOr(fields, "severity", "note") !== "note",
    text: textOf(fields, "text"),
  };
}

export function decodeExporting(value: unknown): ExportProgress {
  const fields = fieldsOf(value, "exporting");
  const state = textOf(fields, "state");
  if (state !== "running" && state !== "done" && state !== "failed" && state !== "cancelled")
    throw new BadAnswer(`the program's answer has an unknown state "${state}"`);
  return {
    state,
    bytes: numberOf(fields, "bytes"),
    done: numberOr(fields, "done", 0),
    of: numberOr(fields, "of", 0),
    changes: listOf(fields["changes"] ?? [], "changes", decodeChange),
    error: textOr(fields, "error", ""),
  };
}

export function decodeExportName(value: unknown): string {
  return textOf(fieldsOf(value, "export"), "name");
}

function decodePackage(value: unknown, path: string): RedactedPackage {
  const fields = fieldsOf(value, path);
  return {
    name: nameOr(fields, "name", ""),
    isKept: flagOr(fields, "kept", true),
    methods: numberOf(fields, "methods"),
    example: nameOr(fields, "example", ""),
    becomes: nameOr(fields, "becomes", ""),
  };
}

export function decodePreview(value: unknown): RedactionPreview {
  const fields = fieldsOf(value, "preview");
  return {
    methodsKept: numberOf(fields, "methods_kept"),
    methodsReplaced: numberOf(fields, "methods_replaced"),
    threadsReplaced: numberOf(fields, "threads_replaced"),
    filesLeftOut: numberOf(fields, "files_left_out"),
    propertiesLeftOut: numberOf(fields, "properties_left_out"),
    packages: listOf(fields["packages"], "packages", decodePackage),
  };
}
