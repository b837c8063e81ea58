// A map that forgets what was not asked for longest, once the weights exceed the room.

interface Entry<V> {
  readonly value: V;
  readonly weight: number;
}

export class Lru<K, V> {
  readonly #entries = new Map<K, Entry<V>>();
  readonly #room: number;
  #used = 0;

  constructor(room: number) {
    this.#room = room;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: K, value: V, weight = 1): void {
    const old = this.#entries.get(key);
    if (old !== undefined) {
      this.#used -= old.weight;
      this.#entries.delete(key);
    }
    this.#entries.set(key, { value, weight });
    this.#used += weight;
    for (const [oldest, entry] of this.#entries) {
      if (this.#used <= this.#room || this.#entries.size === 1) break;
      this.#entries.delete(oldest);
      this.#used -= entry.weight;
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#used = 0;
  }
}
