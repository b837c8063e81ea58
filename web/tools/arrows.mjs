// Checks the rules that no compiler checks: arrows between folders and between their rooms, circles of imports, lengths,
// forbidden words. The house that it checks by is a table (house.mjs), and the table is checked too: an arrow or a public
// file that nothing uses is a fault, so that the table never allows more than the code needs.
import { HOUSE } from "./house.mjs";
import { readSources } from "./imports.mjs";

const MAX_LINES = 300;
const MAX_COMPONENT_LINES = 150;
// Nobody reads more at a glance. Tests and styles are not counted.
const MAX_SOURCES = 25;

// Where a file lies: its folder, its room in that folder ("." where it lies in no room), its name without the ending.
function placeOf(name) {
  const parts = name.split("/");
  const stem = parts.pop().replace(/\.\w+$/, "");
  if (parts.length === 0) return { folder: "", room: ".", stem };
  const [folder, ...rooms] = parts;
  return { folder, room: rooms.length === 0 ? "." : rooms.join("/"), stem };
}

function roomName({ folder, room }) {
  return room === "." ? `the root of ${folder}` : `${folder}/${room}`;
}

function placeFaults(house, { name, isCode }) {
  const { folder, room } = placeOf(name);
  if (!isCode) return [];
  if (!/\.tsx?$/.test(name)) return ["is neither .ts nor .tsx"];
  if (folder === "") return house.roots.includes(name) ? [] : ["may not lie at the root of src"];
  if (!house.order.includes(folder)) return [`lies in a folder that the house has not: ${folder}`];
  if (room !== "." && house.rooms[folder]?.[room] === undefined)
    return [`lies in a room that the house has not: ${folder}/${room}`];
  return [];
}

function arrowFault(house, fromName, toName) {
  const from = placeOf(fromName);
  const to = placeOf(toName);
  if (/\.test\./.test(toName)) return "uses a test";
  if (from.folder !== "" && house.order.indexOf(to.folder) > house.order.indexOf(from.folder))
    return `${from.folder} may not use ${to.folder}`;
  if (to.folder === "" && toName !== fromName) return "the root of src is used by nothing";
  const rooms = house.rooms[to.folder];
  if (rooms === undefined || (from.folder === to.folder && from.room === to.room)) return null;
  const there = roomName(to);
  if (from.folder === to.folder && rooms[from.room]?.uses.includes(to.room) !== true)
    return `${roomName(from)} may not use ${there}`;
  const shown = rooms[to.room]?.shows;
  if (shown !== undefined && !shown.includes(to.stem)) return `${there} does not show ${to.stem}`;
  return null;
}

function importFaults(house, source) {
  const { folder } = placeOf(source.name);
  const faults = [...source.faults];
  for (const target of source.imports) {
    const fault = arrowFault(house, source.name, target);
    if (fault !== null) faults.push(`${fault} (${target})`);
  }
  const allowed = house.packages[folder] ?? [];
  for (const name of source.packages)
    if (!allowed.includes(name) && !(source.isTest && name.startsWith("node:")))
      faults.push(`${folder === "" ? "the root" : folder} may not use the package ${name}`);
  return faults;
}

// What the table allows and no file needs; and rooms whose arrows do not only lead back along the table.
function tableFaults(house, sources) {
  const faults = [];
  const arrows = new Set();
  const shown = new Set();
  const inhabited = new Set();
  for (const source of sources) {
    if (source.isTest || !source.isCode) continue;
    const from = placeOf(source.name);
    inhabited.add(`${from.folder}/${from.room}`);
    for (const target of source.imports) {
      const to = placeOf(target);
      if (from.folder === to.folder && from.room === to.room) continue;
      shown.add(`${to.folder}/${to.room}/${to.stem}`);
      if (from.folder === to.folder) arrows.add(`${from.folder}: ${from.room} -> ${to.room}`);
    }
  }
  for (const [folder, rooms] of Object.entries(house.rooms)) {
    const before = new Set();
    for (const [room, { uses, shows }] of Object.entries(rooms)) {
      if (!inhabited.has(`${folder}/${room}`)) faults.push(`${folder}/${room} has no file`);
      for (const other of uses) {
        const arrow = `${folder}: ${room} -> ${other}`;
        if (!before.has(other)) faults.push(`${arrow} does not lead back along the table`);
        if (!arrows.has(arrow)) faults.push(`${arrow} is allowed and not used`);
      }
      for (const stem of shows ?? [])
        if (!shown.has(`${folder}/${room}/${stem}`))
          faults.push(`${folder}/${room} shows ${stem}, which nothing outside uses`);
      before.add(room);
    }
  }
  return faults.map((fault) => `tools/house.mjs: ${fault}`);
}

function crowdFaults(sources) {
  const counts = new Map();
  for (const { name, isCode, isTest } of sources) {
    const folder = name.split("/").slice(0, -1).join("/");
    if (isCode && !isTest) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_SOURCES)
    .map(
      ([folder, count]) =>
        `${folder}: ${count} sources, limit ${MAX_SOURCES}: divide it into rooms`,
    );
}

// Circles of imports, types included, one line each. Tests are in none: nothing may import them.
function circles(sources) {
  const graph = new Map(sources.map(({ name, imports }) => [name, [...imports]]));
  const order = new Map();
  const lowest = new Map();
  const open = [];
  const found = [];
  // The least number that can be reached from a file names the circle that it stands in (Tarjan, 1972).
  const visit = (name) => {
    order.set(name, order.size);
    lowest.set(name, order.get(name));
    open.push(name);
    for (const next of graph.get(name) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(name, Math.min(lowest.get(name), lowest.get(next)));
    }
    if (lowest.get(name) !== order.get(name)) return;
    const circle = open.splice(open.indexOf(name));
    if (circle.length > 1 || graph.get(name)?.includes(name)) found.push(circle.sort());
  };
  for (const name of graph.keys()) if (!order.has(name)) visit(name);
  return found;
}

function wordFaults(folder, text) {
  const faults = [];
  const code = text
    .replace(/\/\/.*$/gm, "")
    .replace(/(["`'])(?:\\.|(?!\1)[^\\\n])*\1/g, '""')
    .replace(/>[^<>{}=;()]*</g, "><");
  if (/[:<,|&]\s*any\b|\bas any\b/.test(code)) faults.push("uses any");
  if (/[\w)\]]!(?=[.;,)\[\]\s])(?!=)/.test(code)) faults.push("uses a non-null !");
  if (
    folder !== "api" &&
    folder !== "engine" &&
    /\bas (?!const\b)[A-Za-z{[(]/.test(code.replace(/^import.*$/gm, "").replace(/\* as \w+/g, ""))
  )
    faults.push("uses a type assertion (as) outside api and engine");
  if (/innerHTML|outerHTML|dangerouslySet|insertAdjacentHTML|document\.write/.test(code))
    faults.push("writes markup");
  if (
    folder !== "api" &&
    folder !== "engine" &&
    /\bfetch\(|\b(?:XMLHttpRequest|EventSource|WebSocket|sendBeacon)\b/.test(code)
  )
    faults.push("speaks to the program outside api");
  if (
    /^(?:export )?(?:let|var) /m.test(code) ||
    /^(?:export )?const \w+ = (?:new (?:Weak)?(?:Map|Set)\b|signal\()/m.test(code)
  )
    faults.push("has module-level mutable state");
  return faults;
}

function lengthFaults(name, text) {
  const lines = text.split("\n").length - 1;
  const limit = name.endsWith(".tsx") ? MAX_COMPONENT_LINES : MAX_LINES;
  return lines > limit ? [`${lines} lines, limit ${limit}`] : [];
}

// The faults of every source file below `src`, one line each.
export async function arrowFaults(src, house = HOUSE) {
  const sources = await readSources(src);
  const faults = [];
  for (const source of sources) {
    const { name, text, isCode, isTest } = source;
    const own = [...placeFaults(house, source), ...lengthFaults(name, text)];
    if (isCode) own.push(...importFaults(house, source));
    if (isCode && !isTest) own.push(...wordFaults(placeOf(name).folder, text));
    faults.push(...own.map((fault) => `${name}: ${fault}`));
  }
  for (const circle of circles(sources)) faults.push(`a circle of imports: ${circle.join(", ")}`);
  return [...faults, ...crowdFaults(sources), ...tableFaults(house, sources)];
}
