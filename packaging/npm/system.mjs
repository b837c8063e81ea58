// What differs from system to system: the words and variables that the command is started with, and what opens a page. All of it
// takes the system's name, so that each can be tried on another one.

/** Words with a path of Windows in them get slashes, which Windows takes as well: the command knows a file's own name by them. */
export function wordsOf(given, platform, exists) {
  if (platform !== "win32") return given;
  return given.map((word) => {
    const begin = word.startsWith("--") ? word.indexOf("=") + 1 : 0;
    const name = word.slice(begin);
    const isFile = name.includes("\\") && [name, `${name}.trace`, `${name}.key`].some((path) => exists(path));
    return isFile ? word.slice(0, begin) + name.replaceAll("\\", "/") : word;
  });
}

/** The command asks for nothing but variables. Windows has none of those by which a terminal says what it can. */
export function variablesOf(variables, platform, terminal, pageFolder, home) {
  const told = { ...variables, TRACEVIEW_PAGE_FOLDER: platform === "win32" ? pageFolder.replaceAll("\\", "/") : pageFolder };
  if (platform === "win32") {
    told.HOME = `/${home.replaceAll("\\", "/")}`; // what is remembered of mappings is kept below it; it has to begin with a slash
    told.TERM ??= "xterm-256color";
    told.LANG ??= "C.UTF-8";
  }
  if (terminal.isTTY && !told.COLUMNS) told.COLUMNS = String(terminal.columns);
  return told;
}

/** The program and its words that show a page. */
export function opener(platform, page) {
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", page];
  return [platform === "darwin" ? "open" : "xdg-open", page];
}
