// Checks of what the program answers. Each reader takes an unknown value and the path to it, and
// throws a BadAnswer that names the field when the value is not what it should be.

import { visibleText } from "../base/text";

export class BadAnswer extends Error {}

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown, path: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new BadAnswer(`the program's answer has no object at ${path}`);
  return value as Fields;
}

export function listOf<T>(
  value: unknown,
  path: string,
  read: (item: unknown, path: string) => T,
): T[] {
  if (!Array.isArray(value)) throw new BadAnswer(`the program's answer has no list at ${path}`);
  return value.map((item, ix) => read(item, `${path}[${ix}]`));
}

export function numberOf(fields: Fields, key: string): number {
  const value = fields[key];
  if (typeof value !== "number" || !Number.isFinite(value))
    throw new BadAnswer(`the program's answer has no number "${key}"`);
  return value;
}

export function numberOr(fields: Fields, key: string, otherwise: number): number {
  const value = fields[key];
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}

export function textOf(fields: Fields, key: string): string {
  const value = fields[key];
  if (typeof value !== "string") throw new BadAnswer(`the program's answer has no text "${key}"`);
  return value;
}

export function textOr(fields: Fields, key: string, otherwise: string): string {
  const value = fields[key];
  return typeof value === "string" ? value : otherwise;
}

// A name from a trace, which may have any characters in it.
export function nameOr(fields: Fields, key: string, otherwise: string): string {
  return visibleText(textOr(fields, key, otherwise));
}

export function flagOr(fields: Fields, key: string, otherwise: boolean): boolean {
  const value = fields[key];
  return typeof value === "boolean" ? value : otherwise;
}

export function numbersOf(fields: Fields, key: string): number[] {
  return listOf(fields[key], key, (item) => {
    if (typeof item !== "number")
      throw new BadAnswer(`the program's answer has no numbers in "${key}"`);
    return item;
  });
}
