import type { SettingKey, SettingValues } from './setting-values.ts';
import type { ValueType } from './value-types.ts';

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
