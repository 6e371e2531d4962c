import { describe, expect, test } from 'vitest';
import { createFaultRules, type RequestFacts } from '../../../src/sandbox/faults/fault-rules.ts';
import { rule } from '../sandbox-helpers.ts';

const facts: RequestFacts = { method: 'POST', path: '/v1/chat/completions', model: 'origin' };

function statuses(
  rules: ReturnType<typeof createFaultRules>,
  count: number,
  prompt = 'hello',
): readonly (number | undefined)[] {
  return Array.from({ length: count }, () => rules.apply({ ...facts, prompt }).fault.status);
}

describe('rules', () => {
  test('apply to every request without times', () => {
    expect(statuses(createFaultRules([rule('500')]), 3)).toEqual([500, 500, 500]);
  });

  test('apply n times, then no more', () => {
    const rules = createFaultRules([rule('500 times=2')]);
    expect(statuses(rules, 4)).toEqual([500, 500, undefined, undefined]);
  });

  test('skip the first requests', () => {
    const rules = createFaultRules([rule('500 skip=1 times=1')]);
    expect(statuses(rules, 3)).toEqual([undefined, 500, undefined]);
  });

  test('apply to every n-th request after the skipped ones, n times', () => {
    const rules = createFaultRules([rule('500 every=2 skip=1 times=2')]);
    const through = undefined;
    expect(statuses(rules, 7)).toEqual([through, through, 500, through, 500, through, through]);
  });

  test('are tried in order', () => {
    const rules = createFaultRules([rule('500 times=1'), rule('503 times=1'), rule('429')]);
    expect(statuses(rules, 4)).toEqual([500, 503, 429, 429]);
  });

  test('keep their reply settings after they are used up', () => {
    const rules = createFaultRules([rule('reply=echo 500 times=1')]);
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
    const rules = createFaultRules([rule('500', when)]);
    expect(statuses(rules, 1)).toEqual([isMatch ? 500 : undefined]);
  });

  test('count only the requests they match', () => {
    const rules = createFaultRules([rule('500 times=1', { prompt: 'x' })]);
    expect(statuses(rules, 2, 'y')).toEqual([undefined, undefined]);
    expect(statuses(rules, 2, 'x')).toEqual([500, undefined]);
  });

  test('report their label and the attempt', () => {
    const rules = createFaultRules([rule('500', {}, 'flaky')]);
    rules.apply(facts);
    expect(rules.apply(facts)).toMatchObject({ rule: 'flaky', attempt: 2 });
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
    const rules = createFaultRules([rule('reply=echo rate=5')]);
    const { fault } = rules.apply({ ...facts, prompt: '[sandbox markdown] x' });
    expect(fault).toEqual({ reply: 'markdown', rate: 5 });
  });

  test('is removed from the prompt', () => {
    const applied = createFaultRules([]).apply({ ...facts, prompt: '[sandbox echo] x' });
    expect(applied.prompt).toBe('x');
  });
});
