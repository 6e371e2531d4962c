import type { ValueType } from './value-types.ts';

/** What happens to secrets in piped and attached text; `ask` refuses where there is no terminal. */
export type SecretGuardMode = 'ask' | 'redact' | 'off';

/** Every setting with one value. Durations are milliseconds; 0 means no limit. */
export interface SettingValues {
  readonly baseUrl: string | undefined;
  readonly apiPath: string | undefined;
  readonly apiKeyCommand: string | undefined;
  readonly model: string;
  readonly system: string | undefined;
  /** The name of a file in the folder `roles`. */
  readonly role: string | undefined;
  /** Tokens. */
  readonly maxTokens: number | undefined;
  readonly retries: number;
  readonly retryMaxWait: number;
  readonly connectTimeout: number;
  readonly firstByteTimeout: number;
  readonly idleTimeout: number;
  readonly timeout: number;
  readonly allowInsecure: boolean;
  readonly save: boolean;
  /** Models separated by commas, `model` or `profile:model`. */
  readonly fallback: string | undefined;
  readonly ledger: boolean;
  readonly secretGuard: SecretGuardMode;
  readonly shellCommands: boolean;
  /** How a schema is sent besides the prompt. */
  readonly responseFormat: 'none' | 'json_object' | 'json_schema';
  /** What `<think>…</think>` at the start of an answer is: reasoning, or text of the answer. */
  readonly thinkTags: 'auto' | 'answer';
  readonly budget: string | undefined;
  /** Whether a conversation replaces its older turns with a summary at 80% of the window. */
  readonly compact: 'off' | 'auto';
  readonly editing: 'emacs' | 'vi';
  readonly shellKey: string;
  readonly shellExplainKey: string;
  /** Colours on a terminal. */
  readonly theme: 'color' | 'light' | 'dark' | 'mono' | 'plain';
  /** Whether rows of prose end between words on a terminal, or the terminal wraps lines. */
  readonly wrap: 'words' | 'none';
  /** How a conversation reports a long answer while its window has no focus. */
  readonly notify: 'auto' | 'bell' | 'osc9' | 'osc777' | 'off';
  /** Milliseconds. */
  readonly notifyAfter: number;
  readonly progress: 'auto' | 'on' | 'off';
  readonly windowTitle: 'auto' | 'on' | 'off';
  /** Tokens. */
  readonly window: number | undefined;
}

export type SettingKey = keyof SettingValues;

export interface Definition<Value> {
  /** As in `config set`; with two dashes it is the flag. */
  readonly name: string;
  readonly variable: string;
  readonly type: ValueType<Value>;
  /** Absent if the setting has no value by default. */
  readonly default?: Value;
  /** One line for help and tables, without a full stop. */
  readonly summary: string;
  /** For a bad value after the flag, which has a different meaning in other programs. */
  readonly flagHint?: string;
}

export type Definitions = {
  readonly [Key in SettingKey]: Definition<Exclude<SettingValues[Key], undefined>>;
};
