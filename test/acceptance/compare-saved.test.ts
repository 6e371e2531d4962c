import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pathOf, versionsOf } from '../../src/conversation/tree.ts';
import { jsonLines, startNatter } from '../support/natter.ts';
import { createDataFolder } from '../support/data-folder.ts';

/** Stops a comparison in the middle. @returns what was printed */
async function stop(format: '--json' | '--jsonl') {
  const words = ['--sandbox', 'compare', format, '[sandbox tokens tokens=5000 rate=100] hi'];
  const running = startNatter(words, { env: { NATTER_DEBUG: '1' } });
  await running.waitFor('stderr', /(?:is answered[^]*){2}/);
  running.child.kill('SIGINT');
  const { stdout, signal } = await running.result;
  expect(signal).toBe('SIGINT');
  return jsonLines(stdout);
}

describe('an answer that was stopped', () => {
  const error = { kind: 'incomplete', message: 'the answer is incomplete: natter was stopped' };
  const ends = ['origin', 'nextgen'].map((asked) => ({ asked, error }));

  test('says so in the document of --json', async () => {
    const answers = ends.map((end) => ({ ...end, finish_reason: null, incomplete: true }));
    expect(await stop('--json')).toMatchObject([{ answers }]);
  });

  test('says so in its last line of --jsonl', async () => {
    const last = (await stop('--jsonl')).slice(-2);
    expect(last).toMatchObject(ends.map((end) => ({ ...end, type: 'answer-failed' })));
  });
});

describe('what is kept', () => {
  test('is one conversation with an answer of each model, and goes on with the first', async () => {
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

  test('goes on with the first that is whole', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', 'compare', '-m', 'other,nextgen', '[sandbox echo] hi']);
    expect(pathOf(data.only()).at(-1)).toMatchObject({ model: 'nextgen', content: 'hi' });
  });

  test('goes on with the conversation that -c names, and all models are sent what was said', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', '[sandbox echo] hi']);
    const dry = await data.run(['--sandbox', 'compare', '-c', '--dry-run', 'and now?']);
    const { requests } = JSON.parse(dry.stdout) as { requests: { request: { body: object } }[] };
    const said = ['[sandbox echo] hi', 'hi', 'and now?'].map((content) => ({ content }));
    expect(requests.map(({ request }) => request.body)).toMatchObject([
      { model: 'origin', messages: said },
      { model: 'nextgen', messages: said },
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

  test('is nothing with --no-save', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', 'compare', '--no-save', 'hi']);
    expect(existsSync(join(data.path, 'conversations'))).toBe(false);
  });
});
