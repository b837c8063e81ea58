// The page's house: which folder and which room may use which. tools/arrows.mjs holds the source against this table.

export const HOUSE = {
  // A folder uses itself and the folders before it.
  order: ["base", "model", "api", "state", "render", "views"],
  // The npm packages that the files of a folder may use; "" is the root of src.
  packages: {
    "": ["preact", "@preact/signals"],
    state: ["@preact/signals"],
    views: ["preact", "preact/hooks", "@preact/signals"],
  },
  // The files at the root of src.
  roots: ["main.tsx"],
  // The rooms of a folder; "." is the folder's own files. `uses` names the rooms whose files a room may use, `shows` the
  // files that others may use: all of them where it is left out. A folder that is not named here has no rooms.
  rooms: {},
};
