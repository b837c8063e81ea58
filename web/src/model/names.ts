// Method names, long and short. A class may come as `java.lang.String` or `java/lang/String`.

import type { Method } from "./trace";

// A hidden class is called `pkg.Outer$$Lambda$7.0x00007f0594001850`: its last dot is no end of a
// package.
function lastSeparator(className: string): number {
  const hidden = /[./]0x[0-9a-f]+$/.exec(className);
  const named = hidden === null ? className : className.slice(0, hidden.index);
  return Math.max(named.lastIndexOf("."), named.lastIndexOf("/"));
}

// The class by which rules and links to sources name a method, whichever names are shown.
export function sourceClassOf(method: Pick<Method, "class" | "sourceClass">): string {
  return method.sourceClass ?? method.class;
}

// The whole name that is not shown, where a mapping gave the method another one.
export function otherName(method: Pick<Method, "method" | "written" | "sourceClass">): string {
  return method.written === undefined || method.sourceClass === undefined
    ? (method.written ?? "")
    : method.method;
}

// The whole name that is shown.
export function wholeName(method: Pick<Method, "method" | "written" | "sourceClass">): string {
  return method.written !== undefined && method.sourceClass !== undefined
    ? method.written
    : method.method;
}

export function packageOf(className: string): string {
  const cut = lastSeparator(className);
  return cut < 0 ? "" : className.slice(0, cut).replaceAll("/", ".");
}

export function shortClass(className: string): string {
  return className.slice(lastSeparator(className) + 1);
}

// The name of a hidden class without its address, which tells nobody anything.
function namedClass(className: string): string {
  return shortClass(className).replace(/[./]0x[0-9a-f]+$/, "");
}

// `Outer$Inner` tells less than `Inner` in a narrow place.
function innermostClass(className: string): string {
  const short = namedClass(className);
  const cut = short.lastIndexOf("$");
  const inner = short.slice(cut + 1);
  return cut > 0 && /^[A-Za-z_]/.test(inner) ? inner : short;
}

// The class and the name with a dot between; some methods of a trace have but one of the two.
function joined(className: string, name: string): string {
  return [className, name].filter((part) => part !== "").join(".");
}

// From the longest to the shortest way of writing a method, without its signature.
export function nameForms(method: Pick<Method, "class" | "name" | "method">): readonly string[] {
  const forms = [
    joined(namedClass(method.class), method.name),
    joined(innermostClass(method.class), method.name),
    method.name,
  ].filter((form, ix, all) => form !== "" && all.indexOf(form) === ix);
  return forms.length > 0 ? forms : [method.method];
}

// The same for what a message or a task did: all of them are called `run`, so the class is told where there is no room
// for both.
export function taskForms(method: Pick<Method, "class" | "name" | "method">): readonly string[] {
  const forms = nameForms(method);
  if (method.name !== "run" || method.class === "") return forms;
  return [...forms.filter((form) => form !== "run"), innermostClass(method.class)];
}

export function shortName(method: Method): string {
  return nameForms(method)[0] ?? method.method;
}

// The same where rows have no room for signatures, and two methods of the name may stand one under the other.
export function nameApart(method: Method): string {
  return method.sharesName === true
    ? shortName(method) + parametersOf(method.signature)
    : shortName(method);
}

export function fullName(method: Method): string {
  const name = joined(method.class, method.name);
  return name === "" ? method.method : name;
}

// `(ILjava/lang/String;)V` as `(int, String) void`; what does not look like a signature stays.
export function readableSignature(signature: string): string {
  const cut = signature.indexOf(")");
  if (!signature.startsWith("(") || cut < 0) return signature;
  const args = typesOf(signature.slice(1, cut));
  const result = typesOf(signature.slice(cut + 1));
  if (args === null || result === null || result.length !== 1) return signature;
  return `(${args.join(", ")}) ${result[0] ?? ""}`;
}

// A whole name with its signature as people read it.
export function readableName(whole: string): string {
  const blank = whole.lastIndexOf(" (");
  return blank < 0 ? whole : whole.slice(0, blank) + readableSignature(whole.slice(blank + 1));
}

// `(int, String)` of a signature, or what it is.
export function parametersOf(signature: string): string {
  const readable = readableSignature(signature);
  const end = readable.startsWith("(") ? readable.indexOf(")") : -1;
  return end < 0 ? ` ${signature}` : readable.slice(0, end + 1);
}

const PRIMITIVES: ReadonlyMap<string, string> = new Map([
  ["V", "void"],
  ["Z", "boolean"],
  ["B", "byte"],
  ["C", "char"],
  ["S", "short"],
  ["I", "int"],
  ["J", "long"],
  ["F", "float"],
  ["D", "double"],
]);

function typesOf(text: string): string[] | null {
  const types: string[] = [];
  let i = 0;
  while (i < text.length) {
    let dimensions = 0;
    while (text[i] === "[") {
      dimensions += 1;
      i += 1;
    }
    const lead = text[i] ?? "";
    const primitive = PRIMITIVES.get(lead);
    if (primitive !== undefined) {
      types.push(primitive + "[]".repeat(dimensions));
      i += 1;
      continue;
    }
    const end = text.indexOf(";", i);
    if (lead !== "L" || end < 0) return null;
    types.push(shortClass(text.slice(i + 1, end)).replaceAll("$", ".") + "[]".repeat(dimensions));
    i = end + 1;
  }
  return types;
}

// The file and line of a method, as far as the trace tells them.
export function sourceOf(method: Method): string {
  if (method.file === "") return "";
  return method.line > 0 ? `${method.file}:${method.line}` : method.file;
}

// The longest of `forms` that fits `room`, else the last one cut with an ellipsis, else nothing.
export function fitName(
  forms: readonly string[],
  room: number,
  measure: (text: string) => number,
): string {
  for (const form of forms) if (measure(form) <= room) return form;
  const last = forms[forms.length - 1] ?? "";
  const width = measure(last);
  const keep = Math.floor(((room - measure("…")) / Math.max(1, width)) * last.length);
  return keep >= 2 ? `${last.slice(0, keep)}…` : "";
}
