// JSON answers of the program as the page's own types (docs/api.md).

import { visibleText } from "../base/text";
import type {
  Clock,
  Finding,
  Overflow,
  Process,
  ProfilePage,
  ProfileRow,
  RelationRow,
  Relations,
  SearchAnswer,
  Severity,
  Thread,
  Times,
  TraceInfo,
  TreeLevel,
  TreeNode,
} from "../model/trace";
import type { GroupPage } from "../model/profile/group";
import { decodeMethod, namedMethods, rowToldOf, toldOf } from "./decode-methods";
import {
  fieldsOf,
  flagOr,
  listOf,
  nameOr,
  numberOf,
  numberOr,
  numbersOf,
  textOf,
  textOr,
  type Fields,
} from "./check";

// How many rows an answer leaves out because it would be too long.
export function leftOutOf(value: unknown): number {
  const fields = fieldsOf(value, "answer");
  const own = numberOr(fields, "left_out", 0);
  return fields["info"] === undefined ? own : own + leftOutOf(fields["info"]);
}

export function timesOf(value: unknown, path: string): Times {
  return timesIn(fieldsOf(value ?? {}, path));
}

// The inclusive and the exclusive times of a row. Wait comes from the program, by its one rule.
export function rowTimesOf(
  fields: Fields,
  path: string,
): { readonly inclusive: Times; readonly exclusive: Times } {
  const inclusive = timesOf(fields["inclusive"], `${path}.inclusive`);
  const exclusive = timesOf(fields["exclusive"], `${path}.exclusive`);
  if (fields["wait"] === undefined) return { inclusive, exclusive };
  const wait = fieldsOf(fields["wait"], `${path}.wait`);
  return {
    inclusive: { ...inclusive, wait: numberOf(wait, "inclusive_ns") },
    exclusive: { ...exclusive, wait: numberOf(wait, "exclusive_ns") },
  };
}

export function timesIn(fields: Fields): Times {
  return {
    ...(typeof fields["wall_ns"] === "number" ? { wall: fields["wall_ns"] } : {}),
    ...(typeof fields["cpu_ns"] === "number" ? { cpu: fields["cpu_ns"] } : {}),
  };
}

function severityOf(text: string): Severity {
  if (text.includes("lost")) return "lost";
  return text.includes("affected") ? "affected" : "note";
}

function decodeFinding(value: unknown, path: string): Finding {
  const fields = fieldsOf(value, path);
  return {
    kind: textOf(fields, "kind"),
    severity: severityOf(textOr(fields, "severity", "note")),
    count: numberOr(fields, "count", 1),
    offset: typeof fields["offset"] === "number" ? fields["offset"] : null,
    text: textOr(fields, "text", ""),
  };
}

function decodeProcess(value: unknown, path: string): Process {
  const fields = fieldsOf(value, path);
  return { id: numberOf(fields, "id"), name: nameOr(fields, "name", "") };
}

function decodeThread(value: unknown, path: string, processes: readonly Process[]): Thread {
  const fields = fieldsOf(value, path);
  const process = processes[numberOr(fields, "process", -1)];
  return {
    ...(process === undefined ? {} : { process }),
    id: numberOf(fields, "id"),
    name: nameOr(fields, "name", ""),
    records: numberOr(fields, "records", 0),
    calls: numberOr(fields, "calls", 0),
    maxDepth: numberOr(fields, "max_depth", 0),
    times: timesIn(fields),
    first: numberOr(fields, "first_ns", 0),
    last: numberOr(fields, "last_ns", 0),
  };
}

export function clockOf(value: unknown): Clock {
  return value === "cpu" ? "cpu" : "wall";
}

export function decodeInfo(value: unknown): TraceInfo {
  const fields = fieldsOf(value, "info");
  const processes = listOf(fields["processes"] ?? [], "processes", decodeProcess);
  const findings = listOf(fields["findings"] ?? [], "findings", decodeFinding);
  const clocks = listOf(fields["clocks"], "clocks", clockOf);
  const hasIdleCpu = findings.some((finding) => finding.kind === "cpu_clock_idle");
  return {
    file: nameOr(fields, "file", "trace"),
    format: textOr(fields, "format", ""),
    vm: nameOr(fields, "vm", ""),
    clocks: clocks.filter((clock) => clock === "wall" || !hasIdleCpu),
    hasIdleCpu,
    sampled: flagOr(fields, "sampled", false),
    ...(fields["renamed"] === undefined ? {} : { renamed: numberOr(fields, "renamed", 0) }),
    isCpuOfBefore: flagOr(fields, "cpu_is_of_before", false),
    startTime: numberOr(fields, "start_time_ns", 0),
    overflow: flagOr(fields, "overflow", false),
    properties: propertiesOf(fields["properties"]),
    records: numberOr(fields, "records", 0),
    calls: numberOr(fields, "calls", 0),
    methods: numberOr(fields, "methods", 0),
    total: timesOf(fields["total"], "total"),
    threads: listOf(fields["threads"], "threads", (one, at) => decodeThread(one, at, processes)),
    processes,
    findings,
    defaultClock: clockOf(fields["default_clock"]),
    axis: clockOf(fields["axis"]),
    hasCommonAxis: flagOr(fields, "common_axis", true),
    hash: textOr(fields, "hash", "") || null,
    span: numberOr(fields, "span_ns", 0),
    ...toldOf(fields),
    ...partOf(fields["part"]),
  };
}

function partOf(value: unknown): Pick<TraceInfo, "part"> {
  if (value === undefined) return {};
  const fields = fieldsOf(value, "part");
  return { part: { read: numberOf(fields, "read"), of: numberOf(fields, "of") } };
}

// An object of texts, or a list of [key, value] or {key, value} where keys repeat.
function propertiesOf(value: unknown): [string, string][] {
  return pairsOf(value).map(([key, text]) => [visibleText(key), visibleText(text)]);
}

function pairsOf(value: unknown): [string, string][] {
  if (Array.isArray(value))
    return value.map((item) =>
      Array.isArray(item)
        ? [String(item[0]), String(item[1])]
        : [
            textOr(fieldsOf(item, "properties"), "key", ""),
            String(fieldsOf(item, "properties")["value"]),
          ],
    );
  return Object.entries(fieldsOf(value ?? {}, "properties")).map(([key, text]) => [
    key,
    String(text),
  ]);
}

function decodeProfileRow(
  value: unknown,
  path: string,
  method = decodeMethod(value, path),
): ProfileRow {
  const fields = fieldsOf(value, path);
  return {
    ...method,
    calls: numberOr(fields, "calls", 0),
    recursiveCalls: numberOr(fields, "recursive_calls", 0),
    ...rowTimesOf(fields, path),
    ...rowToldOf(fields),
  };
}

export function decodeProfile(value: unknown): ProfilePage {
  const fields = fieldsOf(value, "top");
  const rows = listOf(fields["methods"] ?? [], "methods", decodeProfileRow);
  return {
    total: timesOf(fields["total"], "total"),
    chosen: numberOr(fields, "chosen", 0),
    count: numberOr(fields, "count", rows.length),
    rows,
  };
}

export function decodeOverflow(value: unknown): Overflow | null {
  const overflow = fieldsOf(value, "check")["overflow"];
  if (overflow === undefined || overflow === null) return null;
  const fields = fieldsOf(overflow, "overflow");
  return {
    run: numberOr(fields, "run_ns", 0),
    missing: numberOr(fields, "missing_ns", 0),
    bufferBytes: numberOr(fields, "buffer_bytes", 0),
  };
}

export function decodeGroups(value: unknown): GroupPage {
  const fields = fieldsOf(value, "top");
  return {
    total: timesOf(fields["total"], "total"),
    count: numberOf(fields, "count"),
    rows: listOf(fields["groups"], "groups", (item, path) => {
      const group = fieldsOf(item, path);
      return {
        name: nameOr(group, "name", ""),
        methods: numberOr(group, "methods", 0),
        calls: numberOr(group, "calls", 0),
        inclusive: timesOf(group["inclusive"], `${path}.inclusive`),
        exclusive: timesOf(group["exclusive"], `${path}.exclusive`),
      };
    }),
  };
}

// All ranks in the order asked for: a column of them where the program gives one, else from its rows.
export function decodeOrder(value: unknown): number[] {
  const fields = fieldsOf(value, "top");
  if (fields["ranks"] !== undefined) return numbersOf(fields, "ranks");
  return listOf(fields["methods"], "methods", (item, path) =>
    numberOf(fieldsOf(item, path), "rank"),
  );
}

export function decodeRelations(value: unknown): Relations {
  const fields = fieldsOf(value, "callers");
  const named = namedMethods(fields);
  const row = (item: unknown, path: string): ProfileRow =>
    decodeProfileRow(item, path, named(numberOf(fieldsOf(item, path), "rank")));
  const relation = (item: unknown, path: string): RelationRow => ({
    ...row(item, path),
    ofCalls: numberOr(fieldsOf(item, path), "of_calls", 0),
  });
  const group = (key: string): RelationRow[] => listOf(fields[key] ?? [], key, relation);
  return {
    total: timesOf(fields["total"] ?? {}, "total"),
    method: row(fields["method"], "method"),
    self: timesOf(fields["self"], "self"),
    callers: group("callers"),
    callees: group("callees"),
    callersRecursive: group("callers_recursive"),
    calleesRecursive: group("callees_recursive"),
  };
}

export function decodeTree(value: unknown): TreeLevel {
  const fields = fieldsOf(value, "tree");
  const named = namedMethods(fields);
  const decodeNode = (item: unknown, path: string): TreeNode => {
    const node = fieldsOf(item, path);
    return {
      method: named(numberOf(node, "rank")),
      calls: numberOr(node, "calls", 0),
      inclusive: timesOf(node["inclusive"], `${path}.inclusive`),
      exclusive: timesOf(node["exclusive"], `${path}.exclusive`),
      methodInclusive: timesOf(node["method_inclusive"] ?? {}, `${path}.method_inclusive`),
      hasChildren: flagOr(node, "has_children", false),
    };
  };
  const total = timesOf(fields["total"], "total");
  // `key` names the list of nodes, `children` below the first level.
  const decodeLevel = (of: Fields, key: string): TreeLevel => {
    const first = (of[key] as readonly unknown[] | undefined)?.[0];
    const firstFields = first === undefined ? {} : fieldsOf(first, key);
    return {
      total,
      nodes: listOf(of[key] ?? [], key, decodeNode),
      more: numberOr(of, "more", 0),
      ...(firstFields["children"] === undefined
        ? {}
        : { below: decodeLevel(firstFields, "children") }),
    };
  };
  return decodeLevel(fields, "nodes");
}

export function decodeSearch(value: unknown): SearchAnswer {
  const fields = fieldsOf(value, "search");
  return {
    count: numberOr(fields, "count", 0),
    calls: numberOr(fields, "calls", 0),
    ranks: numbersOf(fields, "ranks"),
    threads: listOf(fields["threads"] ?? [], "threads", (item, path) => {
      const thread = fieldsOf(item, path);
      return { id: numberOf(thread, "id"), calls: numberOr(thread, "calls", 0) };
    }),
  };
}
