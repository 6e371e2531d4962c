export interface Terminal {
  readonly columns: () => number;
  readonly rows: () => number;
  readonly hasSize: () => boolean;
  readonly write: (text: string) => undefined;
}

/** One way to show a streamed answer. */
export interface BenchScreen {
  add(delta: string): void | Promise<void>;
  close(): void | Promise<void>;
}
