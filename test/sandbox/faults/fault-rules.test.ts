import { describe, expect, test } from 'vitest';
import {
  createFaultRules,
  parseScenario,
  type RequestFacts,
} from '../../../src/sandbox/faults/fault-rules.ts';
import { rule as ruleOf } from '../sandbox-helpers.ts';

const facts: RequestFacts = { method: 'POST', path: '/v1/chat/completions', model: 'origin' };

function statuses(
  rules: ReturnType<typeof createFaultRules>,
  count: number,
  prompt = 'hello',
): readonly (number | undefined)[] {
  return Array.from({ length: count }, () => rules.apply({ ...facts, prompt }).fault.status);
}

describe('rules', () => {
  const through = undefined;

  test.each([
    ['without times, to every request', ['500'], [500, 500, 500]],
    ['n times, then no more', ['500 times=2'], [500, 500, through, through]],
    ['after the skipped requests', ['500 skip=1 times=1'], [through, 500, through]],
    [
      'to every n-th request after the skipped ones, n times',
      ['500 every=2 skip=1 times=2'],
      [through, through, 500, through, 500, through, through],
    ],
    ['in order', ['500 times=1', '503 times=1', '429'], [500, 503, 429, 429]],
  ])('apply %s', (_, rules, expected) => {
    const applied = createFaultRules(rules.map((fields) => ruleOf(fields)));
    expect(statuses(applied, expected.length)).toEqual(expected);
  });

  test('keep their reply settings after they are used up', () => {
    const rules = createFaultRules([ruleOf('reply=echo 500 times=1')]);
    expect(rules.apply(facts).fault).toEqual({ reply: 'echo', status: 500, times: 1 });
    expect(rules.apply(facts).fault).toEqual({ reply: 'echo' });
  });

  test.each([
    [{ method: 'get' }, false],
    [{ method: 'post' }, true],
    [{ path: '/v1/models' }, false],
    [{ model: 'nextgen' }, false],
    [{ model: 'origin', prompt: 'ell' }, true],
    [{ prompt: 'bye' }, false],
  ])('with the condition %j match the request: %s', (when, isMatch) => {
    const rules = createFaultRules([ruleOf('500', when)]);
    expect(statuses(rules, 1)).toEqual([isMatch ? 500 : undefined]);
  });

  test('count only the requests they match', () => {
    const rules = createFaultRules([ruleOf('500 times=1', { prompt: 'x' })]);
    expect(statuses(rules, 2, 'y')).toEqual([undefined, undefined]);
    expect(statuses(rules, 2, 'x')).toEqual([500, undefined]);
  });
});

describe('a group in a prompt', () => {
  test('fails n times, succeeds once, and starts again', () => {
    const rules = createFaultRules([]);
    const group = '[sandbox 500 times=2]';
    expect(statuses(rules, 6, group)).toEqual([500, 500, undefined, 500, 500, undefined]);
  });

  test('is counted separately from other groups', () => {
    const rules = createFaultRules([]);
    expect(statuses(rules, 1, '[sandbox 500 times=1] a')).toEqual([500]);
    expect(statuses(rules, 1, '[sandbox 503 times=1] a')).toEqual([503]);
    expect(statuses(rules, 1, '[sandbox 500 times=1] b')).toEqual([undefined]);
  });

  test('is counted correctly after a thousand others', () => {
    const rules = createFaultRules([]);
    for (let seed = 0; seed < 1500; seed += 1) {
      expect(statuses(rules, 1, `[sandbox 500 times=1 seed=${seed}]`)).toEqual([500]);
    }
    expect(statuses(rules, 1, '[sandbox 500 times=1 seed=1499]')).toEqual([undefined]);
  });

  test('overrides a rule field by field', () => {
    const rules = createFaultRules([ruleOf('reply=echo rate=5')]);
    const { fault } = rules.apply({ ...facts, prompt: '[sandbox markdown] x' });
    expect(fault).toEqual({ reply: 'markdown', rate: 5 });
  });
});

describe('parseScenario', () => {
  test('reads rules with conditions and fields', () => {
    const when = { model: 'nextgen', path: '/v1/chat/completions', prompt: 'hello' };
    const rules = [
      { label: 'flaky', when, times: 2, status: 500, headers: { 'X-A': 1 } },
      { reply: 'echo', 'no-done': true, gzip: true, hostile: false },
    ];
    const fault = { times: 2, status: 500, headers: { 'x-a': '1' } };
    const other = { reply: 'echo', 'no-done': true, encoding: 'gzip' };
    expect(parseScenario(JSON.stringify({ rules }), 'faults.json')).toEqual([
      { label: 'flaky', when, fault },
      { label: 'rules[1]', when: {}, fault: other },
    ]);
  });

  test('reads a body as text or as JSON', () => {
    const [rule] = parseScenario('{"rules":[{"body":{"error":{"code":1}}}]}', 'x');
    expect(rule?.fault).toEqual({ body: '{"error":{"code":1}}' });
  });

  test('reads headers as a list, and a byte order mark', () => {
    const [rule] = parseScenario('\ufeff{"rules":[{"headers":["A: 1","B: 2"]}]}', 'x');
    expect(rule?.fault).toEqual({ headers: { a: '1', b: '2' } });
  });

  test.each([
    ['{\n  "rules": 1 2', /^f\.json is not JSON at line 2, column 14$/],
    ['{\n  "rules": [}', /^f\.json is not JSON at line 2, column 13$/],
    ['', /^f\.json is not JSON at line 1, column 1$/],
    ['[]', /no list of rules/],
    ['{"rules": {}}', /no list of rules/],
    ['{"rules": [], "rule": 1}', /f\.json: "rule" is unknown/],
    ['{"rules": [1]}', /f\.json: rules\[0\] must be an object/],
    ['{"rules": [{}, {"status": 99}]}', /^f\.json: rules\[1\]: status takes an HTTP status/],
    ['{"rules": [{"nonsense": 1}]}', /rules\[0\]: there is no field "nonsense"/],
    ['{"rules": [{"status": null}]}', /rules\[0\]: status must be text/],
    ['{"rules": [{"when": "x"}]}', /rules\[0\]\.when must be an object/],
    ['{"rules": [{"when": {"colour": "x"}}]}', /rules\[0\]\.when\.colour is unknown; use method/],
    ['{"rules": [{"when": {"model": 1}}]}', /rules\[0\]\.when\.model must be text/],
  ])('refuses %s with the place of the error', (text, message) => {
    expect(() => parseScenario(text, 'f.json')).toThrow(
      expect.objectContaining({ kind: 'usage', message: expect.stringMatching(message) }),
    );
  });
});
