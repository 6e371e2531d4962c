import type { JsonObject } from '../json.ts';
import type { SettingKey, SettingValues } from './definitions.ts';
import type { PriceTable } from './prices.ts';

export interface Source {
  readonly kind: 'flag' | 'prompt file' | 'conversation' | 'environment' | 'profile' | 'default';
  /**
   * `--model`, the path of a prompt file, the command of a conversation or `conversation` for its model, `NATTER_MODEL`,
   * a profile's name, or `default`.
   */
  readonly name: string;
}

/** Writes `default` or `conversation`, or `flag --model`, `environment NATTER_MODEL`, `profile work`. */
export function describeSource({ kind, name }: Source): string {
  const isPlain = kind === 'default' || (kind === 'conversation' && name === kind);
  return isPlain ? kind : `${kind} ${name}`;
}

export interface Resolved<Value> {
  readonly value: Value;
  readonly source: Source;
}

/** A stored secret that is not sent, because it belongs to a different origin than that of the base URL in force. */
export interface UnsentSecret {
  /** `API key` or `header x-team-token`. */
  readonly what: string;
  /** Says which secret was not sent, and why. */
  readonly text: string;
}

export interface ResolvedSettings {
  readonly profile: Resolved<string>;
  readonly values: SettingValues;
  /** `default` also for a setting without a value. */
  readonly sources: Readonly<Record<SettingKey, Source>>;
  /** Extra fields of the request body. */
  readonly params: Readonly<Record<string, Resolved<unknown>>>;
  /** Extra headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly prices: PriceTable;
  /** Unchecked keys by action, see `ownKeyMap`. */
  readonly keys: JsonObject;
  /** The styles by part of an answer, as `#5fafd7 bold`. */
  readonly colors: Readonly<Record<string, string>>;
  /** Known without {@link ResolvedSettings.apiKeyCommand}. */
  readonly apiKey?: Resolved<string>;
  /** Prints the key for the base URL in force; absent if there is an `apiKey`, or no key is needed. */
  readonly apiKeyCommand?: Resolved<string>;
  readonly unsentSecrets: readonly UnsentSecret[];
  /** Windows in tokens by model id, as the service at this base URL reported them. */
  readonly windows?: ReadonlyMap<string, number>;
}

/** Replaces values of the settings. @param source where they come from; undefined keeps the sources */
export function withValues(
  settings: ResolvedSettings,
  values: Partial<SettingValues>,
  source?: Source,
): ResolvedSettings {
  const names = source === undefined ? [] : Object.keys(values);
  const sources = Object.fromEntries(names.map((name) => [name, source]));
  return {
    ...settings,
    values: { ...settings.values, ...values },
    sources: { ...settings.sources, ...sources },
  };
}

/** Replaces the key of the settings, whatever it is from; undefined leaves them without one. */
export function withKey(
  { apiKey: _old, apiKeyCommand: _command, ...others }: ResolvedSettings,
  apiKey: Resolved<string> | undefined,
): ResolvedSettings {
  const unsentSecrets = others.unsentSecrets.filter(({ what }) => what !== 'API key');
  return { ...others, unsentSecrets, ...(apiKey !== undefined && { apiKey }) };
}

export function withoutSources(params: ResolvedSettings['params']): JsonObject {
  return Object.fromEntries(Object.entries(params).map(([name, { value }]) => [name, value]));
}
