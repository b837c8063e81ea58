// What the median method of a comparison did.

// The exclusive time of the median method. Where it is the machine's, tested changes are beside it.
export interface Median {
  readonly share: number | null; // by which it changed; null: of too few methods
  readonly noMachine: "" | "few" | "other_calls" | "two_clusters" | "other_total";
  readonly methods: number; // that it is the median of,
  readonly leftOut: number; // that have as much time, and call others or are called otherwise,
  readonly unmoved: number; // and that moved by less than half of it
}
