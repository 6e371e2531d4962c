import { expect, test } from 'vitest';
import { topicNames } from '../../src/commands/help/topic-names.ts';
import { runInMemory } from '../support/in-memory.ts';

test('natter help keyboard is natter help keys', async () => {
  const pages = ['keyboard', 'keys'].map((word) => runInMemory(['help', word]));
  const [alias, page] = await Promise.all(pages);
  expect(alias?.stdout).toBe(page?.stdout);
  expect(alias?.code).toBe(0);
});

test.each(['key', 'api-key', 'api-keys'])(
  'natter help %s suggests natter help auth',
  async (word) => {
    const { code, stderr } = await runInMemory(['help', word]);
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean natter help auth?');
  },
);

test('natter help keys points to the help on API keys', async () => {
  const { stdout } = await runInMemory(['help', 'keys']);
  expect(stdout).toContain('For API keys: natter auth --help.');
});

test('an unknown topic is a usage error with a suggestion', async () => {
  const { code, stdout, stderr } = await runInMemory(['help', 'environmint']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('there is no command or topic "environmint"');
  expect(stderr).toContain('did you mean natter help environment?');
});

test('natter help topics lists the topics with their summaries, within 80 columns', async () => {
  const { code, stdout, stderr } = await runInMemory(['help', 'topics']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const topic of topicNames) expect(stdout).toMatch(new RegExp(`^  ${topic} {2,}\\w`, 'm'));
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test.each([
  [['templates'], 'did you mean natter help prompts?'],
  [['config', 'sett'], 'did you mean natter help config set?'],
  [['priv'], 'did you mean natter help privacy?'],
  [['tpoics'], 'did you mean natter help topics?'],
  [['search'], 'did you mean natter help conversations search or natter help models search?'],
  [['config', 'quite', 'other'], 'natter help lists the commands, natter help topics the topics'],
  [['nonsense'], 'natter help lists the commands, natter help topics the topics'],
])('help on the unknown command %j suggests: %s', async (words, hint) => {
  const { code, stderr } = await runInMemory(['help', ...words]);
  expect(code).toBe(2);
  expect(stderr).toContain(hint);
});

test.each(['images', 'image', 'attachments'])(
  'natter help %s is natter help inputs',
  async (word) => {
    const { code, stdout } = await runInMemory(['help', word]);
    expect(code).toBe(0);
    expect(stdout).toContain('Images and\nother files that are not text are refused.');
  },
);

test.each([
  ['roles', 'roles/NAME.md'],
  ['aliases', 'natter config profiles'],
  ['cost', 'budget'],
])('help on %s shows the topic that has the answer', async (word, text) => {
  const { code, stdout } = await runInMemory(['help', word]);
  expect(code).toBe(0);
  expect(stdout).toContain(text);
});
