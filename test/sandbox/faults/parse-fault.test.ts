import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../../src/failure.ts';
import { faultFields } from '../../../src/sandbox/faults/fault-fields.ts';
import {
  createFaultRules,
  parseScenario,
  type RequestFacts,
} from '../../../src/sandbox/faults/fault-rules.ts';
import {
  faultFromOptions,
  faultOptions,
  parseDirective,
  parseFault,
  type WrittenField,
} from '../../../src/sandbox/faults/parse-fault.ts';
import { expectForAll, fc } from '../../support/properties.ts';
import { json } from '../../support/raw-replies.ts';
import { complete, rule as ruleOf, serveFront } from '../sandbox-helpers.ts';

const parse = (written: string): object =>
  parseFault(
    written.split(' ').map((word): WrittenField => {
      const [, name = '', value] = /^([^=]*)(?:=([^]*))?$/.exec(word) ?? [];
      return [name, value];
    }),
  );

describe('parseFault', () => {
  test.each([
    ['status=503', { status: 503 }],
    ['times=3 skip=0', { times: 3, skip: 0 }],
    ['tokens=5k', { tokens: 5000 }],
    ['tokens=1_000', { tokens: 1000 }],
    ['tokens=2M', { tokens: 2_000_000 }],
    ['tokens', { reply: 'tokens' }],
    ['code', { reply: 'code' }],
    ['code=503', { status: 503 }],
    ['delay=250ms', { delay: 250 }],
    ['delay=1.5s', { delay: 1500 }],
    ['delay=2min', { delay: 120_000 }],
    ['delay=forever', { delay: Infinity }],
    ['cut=rst cut-after=7', { cut: 'rst', 'cut-after': 7 }],
    ['cut-after=request', { 'cut-after': 'request' }],
    ['cut-after=headers', { 'cut-after': 0 }],
    ['drip=20', { drip: { interval: 20 } }],
    ['drip=3/10ms', { drip: { interval: 10, bytes: 3 } }],
    ['split=utf16', { split: { units: 1 } }],
    ['split=bytes', { split: { bytes: 1 } }],
    ['split=bytes/3', { split: { bytes: 3 } }],
    ['retry-after=', { 'retry-after': '' }],
    ['headers=X-A:1 headers=X-B:2', { headers: { 'x-a': '1', 'x-b': '2' } }],
    ['no-done', { 'no-done': true }],
    ['no-done=false', { 'no-done': false }],
    ['USAGE=Last', { usage: 'last' }],
    ['429', { status: 429 }],
    ['markdown', { reply: 'markdown' }],
    ['million', { reply: 'million' }],
    ['hostile', { hostile: true }],
    ['cut', { cut: 'fin' }],
    ['rst', { cut: 'rst' }],
    ['stall', { 'stall-after': 3 }],
    ['timeout', { delay: Infinity }],
    ['gzip', { encoding: 'gzip' }],
    ['crlf', { 'line-ending': 'crlf' }],
    ['malformed', { 'malformed-at': 3 }],
    ['json', { 'no-stream': true }],
    ['shape=html', { 'error-shape': 'html' }],
  ])('reads %s', (written, fault) => {
    expect(parse(written)).toEqual(fault);
  });

  test.each([
    ['status=99', /^status takes an HTTP status from 200 to 599, not "99"$/],
    ['status', /^status needs a value: it takes an HTTP status/],
    ['status=', /not ""/],
    ['times=0', /from 1/],
    ['tokens=-1', /tokens takes a whole number/],
    ['delay=soon', /"forever"/],
    ['cut=hard', /one of fin, rst, end/],
    ['split=0', /split takes/],
    ['split=', /split takes/],
    ['drip=0/5', /drip takes/],
    ['headers=nonsense', /header line/],
    ['headers=a:b\u0000', /header line/],
    ['retry-after=\n', /any header text/],
    ['no-done=maybe', /no value/],
    ['reply=poem', /default, help, echo/],
  ])('refuses %j with the valid values', (written, message) => {
    expect(() => parse(written)).toThrow(message);
  });

  test.each(['colour', 'constructor', '__proto__', '99'])('names the unknown field %s', (word) => {
    expect(() => parse(word)).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: `there is no field "${word}"`,
        hint: 'the prompt "[sandbox help]" lists the fields',
      }),
    );
  });

  test('has unique names', () => {
    const names = faultFields.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
  });

  test('has valid bare values', () => {
    const fields = faultFields.filter(({ bare }) => bare !== undefined);
    for (const { name } of fields) expect(parse(name)).not.toEqual({});
  });
});

describe('parseDirective', () => {
  const summary = 'Summary of the earlier conversation:\n\n<summary>\nof one\n</summary>\n\n';

  test.each([
    ['', undefined],
    ['hello', undefined],
    ['hello [sandbox 500]', undefined],
    ['[sandboxes] are fun', undefined],
    ['[sand] box', undefined],
  ])('finds no group in %j', (prompt, directive) => {
    expect(parseDirective(prompt)).toBe(directive);
  });

  test.each([
    ['[sandbox] hi', {}, 'hi'],
    ['[sandbox status=429 times=2] the rest', { status: 429, times: 2 }, 'the rest'],
    ['[sandbox: 500]hi', { status: 500 }, 'hi'],
    ['  [Sandbox 500]\nhi', { status: 500 }, 'hi'],
    [`${summary}[sandbox 500] hi`, { status: 500 }, 'hi'],
    ['[sandbox 500]  two blanks', { status: 500 }, ' two blanks'],
    ['[sandbox 500,\n times=2 ]', { status: 500, times: 2 }, ''],
    [`[sandbox body='<b>]</b>'] x`, { body: '<b>]</b>' }, 'x'],
    ['[sandbox body="a \\"b\\" \\u00e9\\n]"] x', { body: 'a "b" é\n]' }, 'x'],
    ['[sandbox body=""] x', { body: '' }, 'x'],
    ['[sandbox headers="X-A: 1" headers="X-B: 2"]', { headers: { 'x-a': '1', 'x-b': '2' } }, ''],
  ])('reads %j', (prompt, fault, rest) => {
    expect(parseDirective(prompt)).toMatchObject({ fault, rest });
  });

  test('keeps the group as written', () => {
    expect(parseDirective(' [sandbox 500  times=2] x')?.source).toBe('[sandbox 500  times=2]');
  });

  test.each([
    ['[sandbox 500', /no closing/],
    ['[sandbox 500 times=2', /no closing/],
    ['[sandbox body="a] b', /cannot parse .* at "=\\"a\] b"/],
    ['[sandbox nonsense=1] x', /there is no field "nonsense"/],
    ['[sandbox status=abc] x', /status takes/],
    ['[sandbox body="\\q"] x', /invalid JSON escape/],
    ['[sandbox =1] x', /cannot parse/],
  ])('refuses %j', (prompt, message) => {
    expect(() => parseDirective(prompt)).toThrow(message);
  });

  test('reads or refuses any group', () => {
    expectForAll(fc.string({ unit: 'binary' }), (inside) => {
      try {
        parseDirective(`[sandbox ${inside}] x`);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
      }
    });
  });
});

function parseOptions(...words: string[]): object {
  const command = new Command().exitOverride();
  for (const { flags, summary, repeatable } of faultOptions) {
    if (repeatable) {
      const collect = (value: string, list: readonly string[]) => [...list, value];
      command.option(flags, summary, collect, []);
    } else command.option(flags, summary);
  }
  return faultFromOptions(command.parse(words, { from: 'user' }).opts());
}

test.each([
  ['--status 429 --retry-after 1 --hostile', { status: 429, 'retry-after': '1', hostile: true }],
  ['--cut --stall-after', { cut: 'fin', 'stall-after': 3 }],
  ['--cut rst', { cut: 'rst' }],
  ['--headers A:1 --headers B:2', { headers: { a: '1', b: '2' } }],
  ['--no-done --no-stream', { 'no-done': true, 'no-stream': true }],
])('options are valid in commander, and set the same fields: %s', (words, fault) => {
  expect(parseOptions(...words.split(' '))).toEqual(fault);
});

const guide = readFileSync('docs/sandbox.md', 'utf8');

function blocks(language: string): readonly string[] {
  const fences = guide.matchAll(new RegExp(`^\`\`\`${language}.*\\n([^]*?)^\`\`\``, 'gm'));
  return [...fences].map(([, text = '']) => text);
}

/** From the upstream table: each status sent, and the status that the client gets. */
function statusRows(): readonly (readonly [number, number])[] {
  const rows = guide.matchAll(/^\| (?<sent>\d{3}[^|]*)\| (?<received>[^|]*)\|$/gm);
  return [...rows].flatMap(({ groups }) =>
    (groups?.['sent'] ?? '')
      .replace(/ and other.*/, '')
      .split(', ')
      .map((sent) => [
        Number(sent),
        Number.parseInt(groups?.['received'] ?? '', 10) || Number(sent),
      ]),
  ) as [number, number][];
}

describe('docs/sandbox.md', () => {
  test.each(statusRows())('describes that an upstream’s %i becomes %i', async (sent, received) => {
    const { sandbox } = await serveFront([[json(sent, {})]]);
    expect((await complete(sandbox, 'hello')).status).toBe(received);
  });

  test('describes each status of the contract, and others', () => {
    const described = statusRows().map(([sent]) => sent);
    expect(described).toEqual(expect.arrayContaining([400, 401, 402, 403, 404, 429, 500, 503]));
  });

  test('shows valid groups', () => {
    const groups = blocks('text')
      .filter((text) => text.startsWith('[sandbox'))
      .flatMap((text) => text.trim().split('\n'));
    expect(groups.length).toBeGreaterThan(3);
    for (const group of groups) expect(parseDirective(group)?.fault).not.toEqual({});
  });

  test('shows a valid scenario', () => {
    const scenario = blocks('json').find((text) => text.includes('"rules"')) ?? '';
    expect(parseScenario(scenario, 'docs/sandbox.md')).toHaveLength(3);
  });
});

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
