// An answer with the names of the file in place of those that a mapping gave its methods. `method`, by which links and
// rules name a method, stays as it is.

import type { Fields } from "./check";

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Takes "a.b.c (La/d;)V" apart; a class with an address in its name has a dot there, too, before the last one.
function partsOf(written: string): { class: string; name: string; signature: string } {
  const blank = written.indexOf(" ");
  const whole = blank < 0 ? written : written.slice(0, blank);
  const dot = whole.lastIndexOf(".");
  return {
    class: whole.slice(0, Math.max(0, dot)),
    name: whole.slice(dot + 1),
    signature: blank < 0 ? "" : written.slice(blank + 1),
  };
}

export function withWrittenNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withWrittenNames);
  if (!isFields(value)) return value;
  const fields = Object.fromEntries(
    Object.entries(value).map(([key, inside]) => [key, withWrittenNames(inside)]),
  );
  const { written } = fields;
  if (typeof written !== "string") return fields;
  return { ...fields, ...partsOf(written), source_class: fields["class"] };
}
