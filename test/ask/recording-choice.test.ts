import { expect, test } from 'vitest';
import { chooseRecording } from '../../src/ask/recording-choice.ts';

const usual = { color: 'auto', input: true } as const;
const unlimited = Number.POSITIVE_INFINITY;

type Variables = Readonly<Record<string, string>>;

const ten = { file: 'a', speed: 10 };
const fast = { NATTER_REPLAY: 'a', NATTER_REPLAY_SPEED: '10' };

test.each<[string, object, Variables, object]>([
  ['nothing', {}, {}, {}],
  ['empty variables', {}, { NATTER_RECORD: '', NATTER_REPLAY: '' }, {}],
  ['--record', { record: 'a' }, {}, { record: 'a' }],
  ['NATTER_RECORD', {}, { NATTER_RECORD: 'a' }, { record: 'a' }],
  ['--replay', { replay: 'a' }, {}, { replay: { file: 'a', speed: 1 } }],
  ['--speed', { replay: 'a', speed: '2.5' }, {}, { replay: { file: 'a', speed: 2.5 } }],
  ['--speed max', { replay: 'a', speed: 'max' }, {}, { replay: { file: 'a', speed: unlimited } }],
  ['--speed 0', { replay: 'a', speed: '0' }, {}, { replay: { file: 'a', speed: unlimited } }],
  ['two variables', {}, fast, { replay: ten }],
  ['--speed first', { speed: 'max' }, fast, { replay: { file: 'a', speed: unlimited } }],
  ['--replay first', { replay: 'a' }, { NATTER_RECORD: 'b' }, { replay: { file: 'a', speed: 1 } }],
  ['--record beside NATTER_REPLAY', { record: 'a' }, { NATTER_REPLAY: 'b' }, { record: 'a' }],
  ['a list', {}, { ...fast, NATTER_REPLAY_USED: 'b' }, { replay: { ...ten, used: 'b' } }],
  ['NATTER_REPLAY_SPEED alone', {}, { NATTER_REPLAY_SPEED: 'max' }, {}],
])('chooses by %s', (_, options, environment, expected) => {
  expect(chooseRecording({ ...usual, ...options }, environment)).toEqual(expected);
});

test.each<[object, Variables, string]>([
  [{ record: 'a', replay: 'b' }, {}, '--record and --replay cannot be used together'],
  [{}, { NATTER_RECORD: 'a', NATTER_REPLAY: 'b' }, 'NATTER_RECORD and NATTER_REPLAY cannot be'],
  [{ speed: '2' }, {}, '--speed needs --replay'],
  [{ speed: '2', record: 'a' }, { NATTER_REPLAY: 'b' }, '--speed needs --replay'],
  [{ replay: 'a', speed: 'fast' }, {}, '--speed must be at least 0.01, or max, not "fast"'],
  [{ replay: 'a', speed: '-1' }, {}, '--speed must be at least 0.01, or max, not "-1"'],
  [{ replay: 'a', speed: '0.001' }, {}, '--speed must be at least 0.01, or max, not "0.001"'],
  [{ replay: 'a' }, { NATTER_REPLAY_SPEED: 'x' }, 'NATTER_REPLAY_SPEED must be at least 0.01'],
])('refuses %j with %j', (options, environment, message) => {
  expect(() => chooseRecording({ ...usual, ...options }, environment)).toThrow(message);
});
