// The service's wire format, v1. The fields of responses are optional, because the contract defines few of them.

/** Error names of the contract's Errors section, by HTTP status. */
export const errorNames = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
  500: 'server_error',
} as const;

/** What the contract calls an error; also kinds of failure. */
export type ErrorName = (typeof errorNames)[keyof typeof errorNames];

/** The contract's name for a status; undefined for a status that is not in the contract. */
export function nameOfStatus(status: number): ErrorName | undefined {
  return (errorNames as Readonly<Record<number, ErrorName>>)[status];
}

/** The contract shows `user` and `assistant`; natter sends the others only if the user asks for it. */
export type Role = 'system' | 'developer' | 'user' | 'assistant';

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
  /** More fields of the body, such as `temperature`; they override the fields above. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The fields of the contract's request body. */
export const contractFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'max_tokens',
]);

/** Makes the body of a request, in which `params` are fields beside the others. */
export function completionBody(request: CompletionRequest): object {
  if (request.params === undefined) return request;
  const { params, ...fields } = request;
  return { ...fields, ...params };
}

export interface Usage {
  readonly prompt_tokens?: number;
  /** The tokens of the prompt that the service read from its cache; absent if it did not say. */
  readonly cached_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
}

/** A model record with all the fields that the service sent. */
export interface ModelRecord {
  readonly id: string;
  readonly [field: string]: unknown;
}

export interface CatalogueEntry {
  readonly id: string;
  /** Context window in tokens. */
  readonly contextWindow: number;
  /** Typical time to the first token, milliseconds. */
  readonly typicalLatency: number;
  readonly purpose: string;
}

/** The ids of the sandbox's answers begin with it. */
export const sandboxIdStart = 'chatcmpl-sandbox';

/** The contract's model catalogue. 128K and 1M are read as powers of ten: the smaller reading is safe. */
export const catalogue: readonly CatalogueEntry[] = [
  {
    id: 'origin',
    contextWindow: 128_000,
    typicalLatency: 18,
    purpose: 'fastest, most responsive model',
  },
  { id: 'nextgen', contextWindow: 1_000_000, typicalLatency: 20, purpose: 'most advanced model' },
];
