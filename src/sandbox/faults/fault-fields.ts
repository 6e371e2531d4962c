import { eventFields } from './event-fields.ts';
import { namesOf } from '../names-of.ts';
import type { FaultField } from './fault-field.ts';
import { responseFields } from './response-fields.ts';

/**
 * All faults by name: the one table behind the flags of `natter sandbox`, the
 * rules of a scenario file and the `[sandbox …]` group of a prompt.
 */
const faultFields = { ...responseFields, ...eventFields };

type Fields = typeof faultFields;

export type FaultFieldName = keyof Fields;

/** The faults of one answer; an empty one is a proper answer. Times are milliseconds. */
export type Fault = {
  readonly [Name in FaultFieldName]?: Fields[Name] extends FaultField<infer Value> ? Value : never;
};

/** The table in its written order. */
export const faultFieldRows = namesOf(faultFields).map(
  (name): readonly [FaultFieldName, FaultField<unknown>] => [name, faultFields[name]],
);

/** Fields that choose the text are not faults: they still apply after `times`. */
export function replyFieldsOf(fault: Fault): Fault {
  return Object.fromEntries(
    namesOf(fault)
      .filter((name) => faultFields[name].section === 'reply')
      .map((name) => [name, fault[name]]),
  );
}

/** Shorthands for a field with its value; a status code and the name of a reply need no field either. */
export const shorthands: Readonly<Record<string, string>> = {
  fin: 'cut=fin',
  rst: 'cut=rst',
  reset: 'cut=rst',
  gzip: 'encoding=gzip',
  br: 'encoding=br',
  crlf: 'line-ending=crlf',
  cr: 'line-ending=cr',
  utf16: 'split=utf16',
  bytes: 'split=bytes',
  slow: 'rate=10',
};

/** How a field is written, such as `status=<code>`. */
export function fieldUsage(name: string, { placeholder, bare }: FaultField<unknown>): string {
  if (placeholder === undefined) return name;
  return bare === undefined ? `${name}=<${placeholder}>` : `${name}[=<${placeholder}>]`;
}
