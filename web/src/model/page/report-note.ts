// What whoever made a report says about it.

export interface Shared {
  readonly title: string;
  readonly note: string;
}
