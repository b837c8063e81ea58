// What a user can choose, as signals: the part of the store that links and saved pages carry.

import { signal, type Signal } from "@preact/signals";
import type { TraceName } from "../api/source";
import type { Range } from "../base/time";
import type { Sort } from "../model/profile/columns";
import type { CallDetail, Measure } from "../model/trace";
import type { GroupBy } from "../model/profile/group";
import type { FlameChoice } from "../model/changes/change-flame";
import type { Matched } from "../model/changes/matched";
import type { Runs } from "../model/changes/runs";
import { PLAIN_FLAME, type FlameView } from "../model/flame/sandwich";
import type { Lens } from "../model/lens";
import type { Op } from "../model/ops";
import type { Mark } from "../model/timeline/marks";
import { OLD_SHOWN, type OldView } from "../model/timeline/beside";
import type { LaneKind } from "../model/timeline/lanes";
import { WHOLE_PART, type Story, type StoryPart } from "../model/page/story";
import type { CallPair, Tab } from "../model/page/url-state";

export interface Choices {
  readonly view: Signal<Range>;
  readonly crumbs: Signal<readonly Range[]>;
  readonly picked: Signal<Range | null>;
  readonly threads: Signal<ReadonlySet<number> | null>;
  readonly measure: Signal<Measure>;
  readonly tab: Signal<Tab>;
  // The lane that the Frames tab lists; null: none was chosen.
  readonly laneKind: Signal<LaneKind | null>;
  // Null: nothing was chosen yet, so the profile is sorted by what the range suggests.
  readonly chosenSort: Signal<Sort | null>;
  readonly method: Signal<number | null>;
  readonly call: Signal<CallDetail | null>;
  // The calls of the method that were selected with it, of a box of the flame graph or a row of the tree; null: all of them.
  readonly pickedCalls: Signal<Lens | null>;
  readonly unfolded: Signal<ReadonlySet<number>>;
  readonly deep: Signal<ReadonlySet<number>>;
  // Threads whose levels all show, though they are the same all over the view.
  readonly plain: Signal<ReadonlySet<number>>;
  readonly pinned: Signal<ReadonlySet<number>>;
  readonly hidden: Signal<ReadonlySet<number>>;
  readonly order: Signal<readonly number[]>;
  readonly marks: Signal<readonly Mark[]>;
  // What is searched for in all panels.
  readonly search: Signal<string>;
  // Whether tables show only what the search finds.
  readonly isOnly: Signal<boolean>;
  // Hidden packages ("android."), whose time goes to their callers: by menus, and by "my code only" (null: it is off).
  readonly without: Signal<readonly string[]>;
  readonly mine: Signal<readonly string[] | null>;
  readonly ops: Signal<readonly Op[]>;
  readonly isLowerHidden: Signal<boolean>;
  // Whether the lower panel has the room of the timeline, too.
  readonly isLowerWhole: Signal<boolean>;
  readonly isInverted: Signal<boolean>;
  readonly flameView: Signal<FlameView>;
  readonly groupBy: Signal<GroupBy>;
  readonly isCallersOfAll: Signal<boolean>;
  // The path that the flame graph is zoomed to, from the root.
  readonly flamePath: Signal<readonly number[]>;
  // The trace that this one is compared with; null: none is.
  readonly against: Signal<TraceName | null>;
  // All runs of both sides, where there are more than these two traces; null: there are not.
  readonly runs: Signal<Runs | null>;
  // Methods of that trace that are matched by hand.
  readonly matched: Signal<readonly Matched[]>;
  // How the flame graph shows what changed; null: it shows this trace alone.
  readonly flameChoice: Signal<FlameChoice | null>;
  // The names to the box that the graph of what changed is zoomed to, from the outermost method on.
  readonly changePath: Signal<readonly string[]>;
  // The calls that all panels are limited to; null: all.
  readonly lens: Signal<Lens | null>;
  // Two calls that are compared; null: none are.
  readonly beside: Signal<CallPair | null>;
  // How the timeline of the trace that this one is compared with is shown, and how much later a moment is in this one.
  readonly oldView: Signal<OldView>;
  readonly oldShift: Signal<number>;
  // How long the trace is that this one is compared with; null: not known yet.
  readonly oldSpan: Signal<number | null>;
  readonly story: Signal<Story | null>;
  // What was looked at before the story began; all where a link brought it.
  readonly storyPart: Signal<StoryPart>;
}

export function createChoices(): Choices {
  return {
    view: signal({ from: 0, to: 1 }),
    crumbs: signal([]),
    picked: signal(null),
    threads: signal(null),
    measure: signal("wall"),
    tab: signal("profile"),
    laneKind: signal(null),
    chosenSort: signal(null),
    method: signal(null),
    call: signal(null),
    pickedCalls: signal(null),
    unfolded: signal(new Set()),
    deep: signal(new Set()),
    plain: signal(new Set()),
    pinned: signal(new Set()),
    hidden: signal(new Set()),
    order: signal([]),
    marks: signal([]),
    search: signal(""),
    isOnly: signal(false),
    without: signal([]),
    mine: signal(null),
    ops: signal([]),
    isLowerHidden: signal(false),
    isLowerWhole: signal(false),
    isInverted: signal(false),
    flameView: signal(PLAIN_FLAME),
    groupBy: signal("method"),
    isCallersOfAll: signal(false),
    flamePath: signal([]),
    against: signal(null),
    runs: signal(null),
    matched: signal([]),
    flameChoice: signal(null),
    changePath: signal([]),
    lens: signal(null),
    beside: signal(null),
    oldView: signal(OLD_SHOWN),
    oldShift: signal(0),
    oldSpan: signal(null),
    story: signal(null),
    storyPart: signal(WHOLE_PART),
  };
}
