import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../../src/sandbox/faults/fault-rules.ts';

describe('parseScenario', () => {
  test('reads rules with conditions and fields', () => {
    const text = JSON.stringify({
      rules: [
        {
          label: 'flaky',
          when: { model: 'nextgen', path: '/v1/chat/completions', prompt: 'hello' },
          times: 2,
          status: 500,
          headers: { 'X-A': 1 },
        },
        { reply: 'echo', 'no-done': true, gzip: true, hostile: false },
      ],
    });
    expect(parseScenario(text, 'faults.json')).toEqual([
      {
        label: 'flaky',
        when: { model: 'nextgen', path: '/v1/chat/completions', prompt: 'hello' },
        fault: { times: 2, status: 500, headers: { 'x-a': '1' } },
      },
      {
        label: 'rules[1]',
        when: {},
        fault: { reply: 'echo', 'no-done': true, encoding: 'gzip' },
      },
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
    ['{"rules": [{"status": null}]}', /rules\[0\]\.status must be text/],
    ['{"rules": [{"when": "x"}]}', /rules\[0\]\.when must be an object/],
    ['{"rules": [{"when": {"colour": "x"}}]}', /rules\[0\]\.when\.colour is unknown; use method/],
    ['{"rules": [{"when": {"model": 1}}]}', /rules\[0\]\.when\.model must be text/],
  ])('refuses %s with the place of the error', (text, message) => {
    expect(() => parseScenario(text, 'f.json')).toThrow(
      expect.objectContaining({ kind: 'usage', message: expect.stringMatching(message) }),
    );
  });
});
