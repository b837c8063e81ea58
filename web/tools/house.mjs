// The page's house: which folder and which room may use which. tools/arrows.mjs holds the source against this table.

export const HOUSE = {
  // A folder uses itself and the folders before it.
  order: ["base", "model", "engine", "api", "state", "render", "views", "picture", "site"],
  // The npm packages that the files of a folder may use; "" is the root of src.
  packages: {
    "": [],
    engine: ["fzstd"],
    state: ["@preact/signals"],
    views: ["preact", "preact/hooks", "@preact/signals"],
    site: ["preact", "preact/hooks", "@preact/signals"],
  },
  // The files at the root of src.
  roots: ["main.tsx", "alone.tsx", "packed.ts", "site.ts"],
  // The rooms of a folder; "." is the folder's own files. `uses` names the rooms whose files a room may use, `shows` the
  // files that others may use: all of them where it is left out. A folder that is not named here has no rooms.
  rooms: {
    // The root of model is its ground: what the program tells, and the words for it.
    model: {
      ".": { uses: [] },
      table: { uses: ["."] },
      timeline: { uses: ["."] },
      flame: { uses: ["."] },
      tree: { uses: [".", "table"] },
      profile: { uses: [".", "table"] },
      calls: { uses: [".", "table"] },
      trace: { uses: [".", "table"] },
      insights: { uses: ["."] },
      changes: { uses: [".", "table", "flame"] },
      detail: { uses: ["."] },
      // Two calls of one trace, compared.
      pair: { uses: [".", "table", "tree", "changes", "detail", "timeline"] },
      frames: { uses: [".", "table", "timeline"] },
      site: { uses: [] },
      // What the page as a whole keeps: keys, settings, the link.
      page: { uses: [".", "timeline", "profile", "changes"] },
    },
    // `engine` is what stands behind the page where there is no program.
    api: {
      ".": { uses: [] },
      engine: { uses: ["."], shows: ["alone"] },
    },
    // The root of state is what every panel shares: the trace that is shown, what is in view, what is loaded.
    state: {
      ".": { uses: [] },
      actions: { uses: ["."] },
      panels: { uses: [".", "actions"] },
      // The page as a whole: sessions, the link, recording.
      page: { uses: [".", "actions", "panels"] },
    },
    // The root of views is the frame that the rooms stand in.
    views: {
      shared: { uses: [] },
      chips: { uses: ["shared"], shows: ["calls-chips", "hidden-chips", "matched-chip"] },
      table: { uses: ["shared"] },
      // Two calls that are compared: the parts of the tab, and the ways to it.
      pair: { uses: ["shared", "table"] },
      "timeline/card": { uses: ["shared"], shows: ["hover-card"] },
      "timeline/gutter": { uses: ["shared"], shows: ["gutter", "gutter-edge"] },
      "timeline/overview": { uses: ["shared"], shows: ["overview"] },
      timeline: {
        uses: ["shared", "pair", "timeline/card", "timeline/gutter"],
        shows: ["timelines"],
      },
      flame: { uses: ["shared", "table"], shows: ["flame-tab", "op-chips", "transforms"] },
      tree: { uses: ["shared", "table", "flame"], shows: ["tree-tab"] },
      profile: { uses: ["shared", "table"], shows: ["profile"] },
      calls: { uses: ["shared", "table", "pair"], shows: ["calls"] },
      trace: { uses: ["shared", "table"], shows: ["trace-tab"] },
      search: { uses: ["shared"], shows: ["search-field"] },
      // An insight or marks, walked step by step.
      story: { uses: ["shared"], shows: ["story-bar", "story-steps"] },
      insights: { uses: ["shared", "story"], shows: ["insights-tab"] },

      changes: { uses: ["shared", "table", "pair"], shows: ["changes-tab"] },
      detail: { uses: ["shared"], shows: ["details"] },
      frames: { uses: ["shared", "table"], shows: ["frames-tab"] },
      dialogs: { uses: ["shared", "table", "story"] },
      site: { uses: ["shared", "dialogs"], shows: ["site-bar", "site-dialog"] },
      record: { uses: ["shared", "dialogs"], shows: ["record-button", "record-dialog"] },
      start: {
        uses: ["dialogs", "shared", "record"],
        shows: [
          "start",
          "load-failure",
          "load-bar",
          "offer-bar",
          "recent-dialog",
          "report-bar",
          "static-report",
        ],
      },
      ".": {
        uses: [
          "shared",
          "chips",
          "table",
          "timeline/overview",
          "timeline",
          "flame",
          "tree",
          "profile",
          "calls",
          "trace",
          "insights",
          "story",
          "changes",
          "pair",
          "detail",
          "frames",
          "search",
          "dialogs",
          "site",
          "record",
          "start",
        ],
        shows: ["boot"],
      },
    },
  },
};
