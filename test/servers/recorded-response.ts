import type { FailureKind } from '../../src/failure.ts';

/** What natter makes of a response; only the given fields are compared. */
export interface Outcome {
  /** For a prompt. */
  readonly text?: string;
  readonly reasoning?: string;
  readonly finishReason?: string;
  readonly usage?: object;
  /** For a failed prompt. */
  readonly kind?: FailureKind;
  readonly message?: string;
  /** The number of retries. */
  readonly retries?: number;
  /** For a list of models: id and window. */
  readonly models?: readonly (readonly [id: string, window: number | undefined])[];
}

/** A response that a real server sent, as a public report or record quotes it. Ids and host names are shortened. */
export interface RecordedResponse {
  readonly server: string;
  readonly behaviour: string;
  readonly source: string;
  readonly request: 'prompt' | 'prompt without stream' | 'models';
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly outcome: Outcome;
}

export const json = 'application/json';
export const eventStream = 'text/event-stream';
