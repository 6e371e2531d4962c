// The service's wire format, v1. Everything a response may carry is optional: the contract leaves most of it open.

/** Error names of the contract's Errors section, by the HTTP status they come with. */
export const errorNames = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
  500: 'server_error',
} as const;

export type ErrorName = (typeof errorNames)[keyof typeof errorNames];

/** The contract's name for a status; undefined for a status it does not know. */
export function nameOfStatus(status: number): ErrorName | undefined {
  return (errorNames as Readonly<Record<number, ErrorName>>)[status];
}

/** Who speaks. The contract shows `user` and `assistant`; the others are sent only on request. */
export type Role = 'system' | 'developer' | 'user' | 'assistant';

/** A conversation turn. */
export interface Message {
  readonly role: Role;
  readonly content: string;
}

/** A prompt for `POST /v1/chat/completions`. */
export interface CompletionRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly stream?: boolean;
  readonly max_tokens?: number;
  /** Further fields of the body, such as `temperature`; they win over those above. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The body that is sent. */
export function completionBody({ params, ...fields }: CompletionRequest): object {
  return { ...fields, ...params };
}

/** Token accounting; counts are tokens. */
export interface Usage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
}

/** A model record with whatever fields the service sent. */
export interface ModelRecord {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** What the contract publishes about a model. */
export interface CatalogueEntry {
  readonly id: string;
  /** Context window in tokens. */
  readonly contextWindow: number;
  /** Typical time to the first token, milliseconds. */
  readonly typicalLatency: number;
  readonly purpose: string;
}

/** The contract's model catalogue. 128K and 1M are taken as powers of ten: the smaller reading is the safe one. */
export const catalogue: readonly CatalogueEntry[] = [
  {
    id: 'origin',
    contextWindow: 128_000,
    typicalLatency: 18,
    purpose: 'fastest, most responsive model',
  },
  { id: 'nextgen', contextWindow: 1_000_000, typicalLatency: 20, purpose: 'most advanced model' },
];
