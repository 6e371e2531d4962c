import type { SettingKey, SettingValues } from './definitions.ts';

/** Where a value comes from. */
export interface Source {
  readonly kind: 'flag' | 'environment' | 'profile' | 'default';
  /** `--model`, `NATTER_MODEL`, a profile's name, or `default`. */
  readonly name: string;
}

/** `default`, or `flag --model`, `environment NATTER_MODEL`, `profile work`. */
export function describeSource({ kind, name }: Source): string {
  return kind === 'default' ? kind : `${kind} ${name}`;
}

export interface Resolved<Value> {
  readonly value: Value;
  readonly source: Source;
}

/** A stored secret that is not sent, because the origin of the base URL in force differs. */
export interface WithheldSecret {
  /** `API key` or `header x-team-token`. */
  readonly what: string;
  readonly profile: string;
  /** Origins: scheme, host and port. */
  readonly belongsTo: string;
  readonly requested: string;
}

/** Every setting in force and where it came from. */
export interface ResolvedSettings {
  readonly profile: Resolved<string>;
  readonly values: SettingValues;
  /** `default` also for a setting that has neither value nor default. */
  readonly sources: Readonly<Record<SettingKey, Source>>;
  /** Extra fields of the request body. */
  readonly params: Readonly<Record<string, Resolved<unknown>>>;
  /** Extra headers, names in lower case. */
  readonly headers: Readonly<Record<string, Resolved<string>>>;
  readonly apiKey?: Resolved<string>;
  readonly withheld: readonly WithheldSecret[];
  /** Windows in tokens by model id, as reported before by the service at this base URL. */
  readonly windows?: ReadonlyMap<string, number>;
}

export function withoutSources<Value>(
  record: Readonly<Record<string, Resolved<Value>>>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).map(([name, { value }]) => [name, value]));
}

/** One sentence for a notice. */
export function describeWithheld(secret: WithheldSecret): string {
  return `the ${secret.what} of profile ${secret.profile} was not sent: it belongs to ${secret.belongsTo}, not to ${secret.requested}`;
}
