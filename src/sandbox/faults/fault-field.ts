import type { ValueKind } from './fault-values.ts';

/** The part of an answer a field changes; the headings of the reference tables. */
export type FaultSection = 'reply' | 'response' | 'timing' | 'ending' | 'events' | 'counting';

/** One row of the table of fault fields. */
export interface FaultField<Value> extends ValueKind<Value> {
  readonly section: FaultSection;
  readonly summary: string;
  /** The value when the field is named without one. */
  readonly bare?: string;
  /** Other accepted names. */
  readonly aliases?: readonly string[];
  /** May be given more than once; values are then merged. */
  readonly repeatable?: boolean;
}

type Extras = Pick<FaultField<unknown>, 'bare' | 'aliases' | 'repeatable'>;

/** Makes the rows of one section. */
export function fieldsOf(section: FaultSection) {
  return <Value>(
    kind: ValueKind<Value>,
    summary: string,
    extras: Extras = {},
  ): FaultField<Value> => {
    const bare = kind.placeholder === undefined ? { bare: 'true' } : {};
    return { ...kind, section, summary, ...bare, ...extras };
  };
}
