// The answers of the routes lanes and curve.

import {
  LANE_KINDS,
  type Lane,
  type LaneItem,
  type LaneKind,
  type Lanes,
} from "../model/timeline/lanes";
import type { Method } from "../model/trace";
import type { Curve } from "../model/timeline/curve";
import {
  fieldsOf,
  flagOr,
  listOf,
  numberOf,
  numberOr,
  numbersOf,
  textOr,
  type Fields,
} from "./check";
import { namedMethods } from "./decode-methods";

function optional(fields: Fields, key: string): number | undefined {
  return fields[key] === undefined ? undefined : numberOf(fields, key);
}

function decodeLane(answer: Fields, kind: LaneKind, named: (rank: number) => Method): Lane {
  const fields = fieldsOf(answer[kind], kind);
  const numbers = new Map<number, number>();
  const items = listOf(fields["items"], kind, (value, path): LaneItem => {
    const own = fieldsOf(value, path);
    const thread = numberOf(own, "thread");
    const number = (numbers.get(thread) ?? 0) + 1;
    numbers.set(thread, number);
    return {
      kind,
      number,
      thread,
      depth: numberOf(own, "depth"),
      call: numberOf(own, "call"),
      start: numberOf(own, "start_ns"),
      end: numberOf(own, "end_ns"),
      cpu: optional(own, "cpu_ns"),
      isOpenAtEnd: flagOr(own, "open_at_end", false),
      isAdopted: flagOr(own, "adopted", false),
      name: textOr(own, "name", ""),
      method: own["rank"] === undefined ? null : named(numberOf(own, "rank")),
      measure: optional(own, "measure_ns"),
      layout: optional(own, "layout_ns"),
      draw: optional(own, "draw_ns"),
      rest: optional(own, "rest_ns"),
    };
  });
  return { count: numberOr(fields, "count", items.length), items };
}

export function decodeLanes(value: unknown): Lanes {
  const answer = fieldsOf(value, "lanes");
  const named = namedMethods(answer);
  const lane = (kind: LaneKind): Lane => decodeLane(answer, kind, named);
  const [phases, messages, frames] = LANE_KINDS;
  return { [phases]: lane(phases), [messages]: lane(messages), [frames]: lane(frames) };
}

export function decodeCurve(value: unknown): Curve {
  const answer = fieldsOf(value, "curve");
  return {
    thread: numberOf(answer, "thread"),
    called: numbersOf(answer, "called_ns"),
    cpu: numbersOf(answer, "cpu_ns"),
  };
}
