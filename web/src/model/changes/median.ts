// What the median method of a comparison did.

// The exclusive time of the median method. Where it is the machine's, tested changes are beside it.
export interface Median {
  readonly share: number | null; // by which it changed; null: of too few methods
  readonly noMachine: "" | "few" | "other_calls" | "two_clusters" | "other_total";
  readonly methods: number; // methods whose median it is
  readonly leftOut: number; // methods with as much time that are left out: their callers or callees changed
  readonly unmoved: number; // of `methods`, those that moved by less than half of the median
}
