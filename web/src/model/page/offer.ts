// A trace that another window hands over. It is opened only when the user says so.

export interface Offer {
  // Who hands it over, as the browser says: "https://ci.example.com".
  readonly origin: string;
  readonly name: string;
  readonly bytes: number;
  accept(): void;
}
