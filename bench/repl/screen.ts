/** Where a screen of the benchmark is drawn. */
export interface Terminal {
  readonly columns: () => number;
  readonly rows: () => number;
  readonly hasSize: () => boolean;
  readonly write: (text: string) => undefined;
}

/** One way to show an answer as it comes. */
export interface BenchScreen {
  add(delta: string): void | Promise<void>;
  close(): void | Promise<void>;
}
