import { expect, test } from 'vitest';
import { ledgerJson, type LedgerLine } from '../../src/ledger/ledger-line.ts';

const line: LedgerLine = {
  time: '2026-11-23T18:00:00.000Z',
  command: 'batch work',
  profile: 'default',
  model: 'origin',
  prompt_tokens: 9,
  completion_tokens: null,
  estimated: undefined,
  ms: 12,
  outcome: 'answered',
  attempts: 1,
  conversation: null,
  batch: '01JD',
  sandbox: undefined,
};

test.each<readonly [string, Partial<LedgerLine>]>([
  ['an answer', {}],
  ['an estimate', { estimated: { completion_tokens: 5 } }],
  ['a conversation', { conversation: 'c-1', batch: null }],
  ['the sandbox', { sandbox: true }],
  ['names with quotes, backslashes and line feeds', { model: 'a"b\\c\nd', profile: 'é\u2028' }],
])('the JSON of the line of %s is that of JSON.stringify', (_, fields) => {
  const value = { ...line, ...fields };
  expect(ledgerJson(value)).toBe(JSON.stringify(value));
});
