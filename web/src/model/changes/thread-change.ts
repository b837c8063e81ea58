// Threads of one name in two traces, and what they called.

export interface ThreadSide {
  // Threads of the name, over the runs of the side.
  readonly threads: readonly [number, number];
  readonly calls: readonly [number, number];
  readonly time: number;
}

export interface ThreadChange {
  readonly name: string;
  readonly old: ThreadSide;
  readonly new: ThreadSide;
}
