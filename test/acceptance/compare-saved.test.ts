import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pathOf, versionsOf } from '../../src/conversation/tree.ts';
import { jsonLines, startNatter } from '../support/natter.ts';
import { createDataFolder } from '../support/data-folder.ts';

/** Stops a comparison in progress, and returns the JSON it printed. */
async function stop(format: '--json' | '--jsonl') {
  const words = ['--sandbox', 'compare', format, '[sandbox tokens tokens=5000 rate=100] hi'];
  const running = startNatter(words, { env: { NATTER_DEBUG: '1' } });
  await running.waitFor('stderr', /(?:is answered[^]*){2}/);
  running.child.kill('SIGINT');
  const { stdout, signal } = await running.result;
  expect(signal).toBe('SIGINT');
  return jsonLines(stdout);
}

describe('a stopped answer', () => {
  const error = { kind: 'incomplete', message: 'the answer is incomplete: natter was stopped' };
  const ends = ['origin', 'nextgen'].map((asked) => ({ asked, error }));

  test('is marked in the document of --json', async () => {
    const answers = ends.map((end) => ({ ...end, finish_reason: null, incomplete: true }));
    expect(await stop('--json')).toMatchObject([{ answers }]);
  });

  test('is marked in its last line of --jsonl', async () => {
    const last = (await stop('--jsonl')).slice(-2);
    expect(last).toMatchObject(ends.map((end) => ({ ...end, type: 'answer-failed' })));
  });
});

describe('the saved conversation', () => {
  test('has the answer of each model, and continues with the first', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', 'compare', '[sandbox echo] hi']);
    const conversation = data.only();
    const [prompt, answer, ...others] = pathOf(conversation);
    expect(others).toEqual([]);
    expect(prompt?.content).toBe('[sandbox echo] hi');
    expect(answer).toMatchObject({ model: 'origin', content: 'hi', finishReason: 'stop' });
    const versions = answer === undefined ? [] : versionsOf(conversation, answer);
    expect(versions.map(({ model, content }) => [model, content])).toEqual([
      ['origin', 'hi'],
      ['nextgen', 'hi'],
    ]);
  });

  test('continues with the first complete answer', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', 'compare', '-m', 'other,nextgen', '[sandbox echo] hi']);
    expect(pathOf(data.only()).at(-1)).toMatchObject({ model: 'nextgen', content: 'hi' });
  });

  test('continues with -c, and all models get the earlier turns', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', '[sandbox echo] hi']);
    const dry = await data.run(['--sandbox', 'compare', '-c', '--dry-run', 'and now?']);
    const { requests } = JSON.parse(dry.stdout) as { requests: { request: { body: object } }[] };
    const turns = ['[sandbox echo] hi', 'hi', 'and now?'].map((content) => ({ content }));
    expect(requests.map(({ request }) => request.body)).toMatchObject([
      { model: 'origin', messages: turns },
      { model: 'nextgen', messages: turns },
    ]);
    expect(pathOf(data.only())).toHaveLength(2);
    await data.run(['--sandbox', 'compare', '-c', '[sandbox echo] and now?']);
    const path = pathOf(data.only());
    const shown = path.map(({ content }) => content);
    expect(shown).toEqual(['[sandbox echo] hi', 'hi', '[sandbox echo] and now?', 'and now?']);
    const [answer] = path.slice(-1);
    const versions = answer === undefined ? [] : versionsOf(data.only(), answer);
    expect(versions.map(({ model }) => model)).toEqual(['origin', 'nextgen']);
  });

  test('does not exist with --no-save', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', 'compare', '--no-save', 'hi']);
    expect(existsSync(join(data.path, 'conversations'))).toBe(false);
  });
});
