import { Failure } from '../../failure.ts';
import { isReplyName } from '../replies/reply.ts';
import {
  type Fault,
  type FaultField,
  type FaultFieldName,
  faultFieldRows,
} from './fault-fields.ts';

/** A field as written; without text, only its name was. */
export type WrittenField = readonly [name: string, text: string | undefined];

/** Words for a field with its value. A status code and the name of a reply are valid words, too. */
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

type Row = (typeof faultFieldRows)[number];

function findRow(name: string): Row | undefined {
  const word = name.toLowerCase();
  return faultFieldRows.find(
    ([rowName, { aliases }]) => rowName === word || aliases?.includes(word),
  );
}

/** Expands a status, a reply or a shorthand. `tokens` and `code` are also fields, but those need a value. */
function expand([name, text]: WrittenField): WrittenField {
  const row = findRow(name);
  const word = name.toLowerCase();
  const needsValue = row !== undefined && row[1].bare === undefined;
  if (text === undefined && needsValue && isReplyName(word)) return ['reply', word];
  if (text !== undefined || row !== undefined) return [name, text];
  if (/^[2-5]\d\d$/.test(word)) return ['status', word];
  if (isReplyName(word)) return ['reply', word];
  const [field, value] = (Object.hasOwn(shorthands, word) ? shorthands[word] : undefined)?.split(
    '=',
  ) ?? [name];
  return [field ?? name, value];
}

function unknownField(name: string): Failure {
  const known = faultFieldRows.map(([rowName]) => rowName).join(', ');
  const words = Object.keys(shorthands).join(', ');
  return new Failure('usage', `there is no field "${name}"`, {
    hint: `the fields are ${known}; without a value: a status, the name of a reply, or one of ${words}`,
  });
}

function parseValue(name: string, field: FaultField<unknown>, text: string | undefined): unknown {
  const written = text ?? field.bare;
  if (written === undefined) {
    throw new Failure('usage', `${name} needs a value: it takes ${field.expects}`);
  }
  const value = field.parse(written);
  if (value === undefined) {
    throw new Failure('usage', `${name} takes ${field.expects}, not "${written}"`);
  }
  return value;
}

function mergeValues(earlier: unknown, value: unknown): unknown {
  return typeof earlier === 'object' && typeof value === 'object'
    ? { ...earlier, ...value }
    : value;
}

/** @throws Failure `usage` with the field and its valid values */
export function parseFault(written: Iterable<WrittenField>): Fault {
  const fault: Partial<Record<FaultFieldName, unknown>> = {};
  for (const entry of written) {
    const [name, text] = expand(entry);
    const row = findRow(name);
    if (row === undefined) throw unknownField(name);
    const [rowName, field] = row;
    const value = parseValue(rowName, field, text);
    fault[rowName] = field.repeatable === true ? mergeValues(fault[rowName], value) : value;
  }
  // Each value is from the parser of its row.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return fault as Fault;
}
