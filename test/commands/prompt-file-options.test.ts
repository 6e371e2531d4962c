import { describe, expect, test } from 'vitest';
import { buildPrompts } from '../../src/commands/prompts/command.ts';
import { buildRun } from '../../src/commands/run/command.ts';
import { createMemoryContext } from '../support/memory-context.ts';
import { parsedBy } from '../cli/parse-words.ts';

const { context } = createMemoryContext();
const defaults = { color: 'auto', input: true };

describe('run', () => {
  test.each<[string, string, readonly string[], object]>([
    ['run review', 'review', [], {}],
    ['run review.md --lang=ts', 'review.md', ['--lang=ts'], {}],
    ['run fix 123 --lang=ts high', 'fix', ['123', '--lang=ts', 'high'], {}],
    ['run fix --lang=ts -m nextgen --json', 'fix', ['--lang=ts'], { model: 'nextgen', json: true }],
    ['run -m nextgen fix - -c -s brief', 'fix', ['-'], { continue: true, system: 'brief' }],
    ['run fix --lang=ts --sandbox --color never', 'fix', ['--lang=ts'], { color: 'never' }],
  ])('natter %s', async (words, name, line, options) => {
    const command = buildRun(context);
    const [ran, found, parsed] = await parsedBy(command, words);
    expect([ran, parsed, command.args.slice(1)]).toEqual(['run', name, line]);
    expect(found).toMatchObject({ stream: true, stdin: true, ...options });
  });
});

describe('prompts', () => {
  test.each([
    ['prompts', ['list', defaults]],
    ['prompts list --json', ['list', { ...defaults, json: true }]],
    ['prompts show review --json', ['show', { ...defaults, json: true }, 'review']],
    ['prompts path', ['path', defaults, undefined]],
    ['prompts path review', ['path', defaults, 'review']],
    [
      'prompts import a b --project --force',
      ['import', { ...defaults, project: true, force: true }, ['a', 'b']],
    ],
    ['prompts edit review --project', ['edit', { ...defaults, project: true }, 'review']],
  ])('natter %s', async (words, expected) => {
    expect(await parsedBy(buildPrompts(context), words)).toEqual(expected);
  });
});
