// Reads exported tables with hyparquet and apache-arrow. Takes lines on standard input, each an array in JSON of a form
// (parquet, arrow), what is wanted (rows, totals, groups, tail) and a file; answers each with a line of JSON.
//
// rows: an array of objects. groups: of Parquet, how many rows each group has, and its least and greatest call by its
// statistics. tail: the last three calls. totals: what the rows of a table of calls or of nodes add up to, an array of
// [thread id, method, {number: value}].
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { tableFromIPC } from "apache-arrow";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";

// Numbers of tests are far below 2^53.
const plain = (value) => (typeof value === "bigint" ? Number(value) : value);

function arrayBufferOf(path) {
  const bytes = readFileSync(path);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}

// {column: its values}, of those that are wanted.
async function readParquet(path, isWanted) {
  const file = arrayBufferOf(path);
  const names = parquetMetadata(file)
    .schema.slice(1)
    .map((element) => element.name)
    .filter(isWanted);
  const columns = {};
  // One column at a time: an object of twenty for each row takes a second for 100,000 rows.
  for (const name of names) {
    const rows = await parquetReadObjects({ file, compressors, columns: [name] });
    columns[name] = rows.map((row) => plain(row[name]));
  }
  return columns;
}

function readArrow(path, isWanted) {
  const table = tableFromIPC(readFileSync(path));
  const columns = {};
  for (const field of table.schema.fields.filter((field) => isWanted(field.name)))
    columns[field.name] = Array.from(table.getChild(field.name), plain);
  return columns;
}

function rowsOf(columns) {
  const names = Object.keys(columns);
  const count = columns[names[0]]?.length ?? 0;
  return Array.from({ length: count }, (_, i) =>
    Object.fromEntries(names.map((name) => [name, columns[name][i]])),
  );
}

// Inclusive times count calls that are not recursive, exclusive times all.
function totalsOf(columns) {
  const totals = new Map();
  const times = ["wall", "cpu"].flatMap((clock) => {
    const inclusive = columns[`${clock}_ns`] ?? columns[`inclusive_${clock}_ns`];
    return inclusive ? [[clock, inclusive, columns[`exclusive_${clock}_ns`]]] : [];
  });
  for (let i = 0; i < columns.rank.length; i++) {
    const key = `${columns.thread_id[i]} ${columns.method[i]}`;
    let sum = totals.get(key);
    if (!sum) {
      sum = { calls: 0, recursive_calls: 0 };
      for (const [clock] of times) sum[`inclusive_${clock}_ns`] = sum[`exclusive_${clock}_ns`] = 0;
      totals.set(key, sum);
    }
    const isRecursive = columns.recursive[i];
    sum[isRecursive ? "recursive_calls" : "calls"] += columns.calls ? columns.calls[i] : 1;
    for (const [clock, inclusive, exclusive] of times) {
      if (!isRecursive) sum[`inclusive_${clock}_ns`] += inclusive[i];
      sum[`exclusive_${clock}_ns`] += exclusive[i];
    }
  }
  return Array.from(totals, ([key, sum]) => {
    const at = key.indexOf(" ");
    return [Number(key.slice(0, at)), key.slice(at + 1), sum];
  });
}

async function groupsOf(path) {
  const file = arrayBufferOf(path);
  return parquetMetadata(file).row_groups.map((group) => {
    const { min_value, max_value } = group.columns[0].meta_data.statistics;
    return [group.num_rows, min_value, max_value].map(plain);
  });
}

async function tailOf(path) {
  const file = arrayBufferOf(path);
  const rowEnd = Number(parquetMetadata(file).num_rows);
  const rows = await parquetReadObjects({
    file,
    compressors,
    columns: ["call"],
    rowStart: rowEnd - 3,
    rowEnd,
  });
  return rows.map((row) => plain(row.call));
}

async function answer(form, what, path) {
  if (what === "groups") return groupsOf(path);
  if (what === "tail") return tailOf(path);
  const isWanted = (name) =>
    what === "rows" || /^(thread_id|method|recursive|calls|rank|.*wall_ns|(.*_)?cpu_ns)$/.test(name);
  const read = form === "parquet" ? readParquet : readArrow;
  const columns = await read(path, isWanted);
  return what === "rows" ? rowsOf(columns) : totalsOf(columns);
}

for await (const line of createInterface({ input: process.stdin })) {
  const result = await answer(...JSON.parse(line)).catch((error) => ({ error: String(error) }));
  process.stdout.write(JSON.stringify(result) + "\n");
}
