import { describe, expect, test } from 'vitest';
import { sendPrompt } from '../../../src/repl/answers/send-prompt.ts';
import { findPromptFiles, openPrompt } from '../../../src/repl/prompt-files/prompt-files.ts';
import { folderOf } from '../../support/folder.ts';
import {
  promptDialog,
  promptLine,
  readPromptArguments,
} from '../../../src/repl/prompt-files/send-prompt-file.ts';
import { step } from '../../../src/repl/step.ts';
import { runInApp } from '../../support/app.tsx';
import { type MemoryOptions, openMemorySession, saying } from '../../support/memory-session.ts';
import {
  composed,
  effectsOf,
  enter,
  pasted,
  reviewPrompt,
  stateOf,
} from '../../support/repl-state.ts';

describe('values after the name of a prompt file', () => {
  test.each([
    ['lang=js the rest', { lang: 'js' }, 'the rest'],
    ['--lang=js', { lang: 'js' }, ''],
    ['focus="two words" lang=ts a\nb', { focus: 'two words', lang: 'ts' }, 'a\nb'],
    ['focus=\'say "so"\'', { focus: 'say "so"' }, ''],
    ['the rest lang=js', {}, 'the rest lang=js'],
    ['x=1 is a sum', {}, 'x=1 is a sum'],
  ])('%j is read', (argument, values, text) => {
    expect(readPromptArguments(reviewPrompt, argument)).toMatchObject({ values, text });
  });

  test.each([
    ['lang=go', 'lang must be one of ts, js'],
    ['lagn=ts', '/review has no variable "lagn"'],
    ['--tone=kind', '/review has no variable "tone"'],
    ['focus=', 'focus needs a value'],
  ])('%j is refused', (argument, problem) => {
    expect(() => readPromptArguments(reviewPrompt, argument)).toThrow(problem);
  });

  test('the line with the values is read as the same values', () => {
    const use = { prompt: reviewPrompt, values: { focus: 'a "b" c', lang: 'ts' }, text: 'x = y' };
    const line = promptLine(use);
    expect(readPromptArguments(reviewPrompt, line.slice('/review '.length))).toEqual(use);
  });
});

test('a value for a prompt file keeps its line ends', () => {
  const prompt = { ...reviewPrompt, variables: [], neededText: 'text' };
  const dialog = promptDialog({ prompt, values: {}, text: '' }, [undefined]);
  const { effects } = runInApp(stateOf({ dialog }), pasted('if (a) {\r\n  b();\n}'), enter);
  expect(effectsOf(effects, sendPrompt)[0]?.prompt).toMatchObject({
    use: { text: 'if (a) {\n  b();\n}' },
  });
});

async function entered(lines: readonly string[], options: MemoryOptions = {}) {
  const memory = openMemorySession({ replies: [saying('fine'), saying('more')], ...options });
  await memory.submit(...lines);
  return memory;
}

const contentsOf = ({ requests }: Awaited<ReturnType<typeof entered>>) =>
  requests.map(({ messages }) => messages.map(({ content }) => content));

test('/name sends the filled prompt file, with its system prompt for this answer only', async () => {
  const memory = await entered(['/review lang=js focus=speed all of it', 'thanks']);
  expect(contentsOf(memory)).toEqual([
    ['be careful', 'review js for speed: all of it'],
    ['review js for speed: all of it', 'fine', 'thanks'],
  ]);
});

test('a variable without a value is asked for, and an empty line takes the default', async () => {
  const memory = await entered(['/review', '', 'speed']);
  expect(contentsOf(memory)).toEqual([['be careful', 'review ts for speed: ']]);
  const some = await entered(['/review the rest', 'speed']);
  expect(contentsOf(some)).toEqual([['be careful', 'review ts for speed: the rest']]);
});

test('a choice can be typed, and a wrong one is refused', async () => {
  const memory = await entered(['/review', 'go', 'js', 'speed']);
  expect(memory.text()).toContain('choose a number from 1 to 2');
  expect(contentsOf(memory)).toEqual([['be careful', 'review js for speed: ']]);
});

test('cancelled, it sends nothing, and the command returns to the composer', async () => {
  const memory = openMemorySession({});
  await memory.press('/review lang=js', enter);
  await expect.poll(() => memory.session.state().dialog?.type).toBe('entry');
  await memory.idle();
  memory.session.update((before) => before.dialog?.cancel(before) ?? step(before));
  const state = await memory.idle();
  expect(memory.text()).toContain('cancelled; nothing was sent');
  expect(state.dialog).toBeUndefined();
  expect(composed(state)).toBe('/review lang=js');
  expect(memory.requests).toEqual([]);
});

test('a name without a prompt file is an unknown command', async () => {
  const memory = await entered(['/reviev']);
  expect(memory.text()).toContain('unknown command /reviev');
});

test('secrets in a prompt file are sent only after a confirmation', async () => {
  const memory = await entered(['/review lang=js focus=speed', '2'], {
    state: { isLineMode: true },
    repl: (usual) => ({
      ...usual,
      service: {
        ...usual.service,
        inspect: (files, { isConfirmed }) =>
          isConfirmed || files.length === 0
            ? { files }
            : { files, problem: '/review line 1 has a GitHub token' },
      },
    }),
  });
  expect(memory.text()).toContain('/review line 1 has a GitHub token');
  await memory.idle();
  expect(contentsOf(memory)).toEqual([['be careful', 'review js for speed: ']]);
  expect(memory.path()).toHaveLength(3);
});

test('a prompt file of the user is listed, and filled with values, words and its settings', async () => {
  const front = `description: "a review"\nmodel: nextgen\nsystem: be kind\nparams:\n  top_p: 0.5\nvariables:\n  lang:\n    default: ts\n`;
  const text = `---\n${front}---\nreview {{lang}}: {{stdin}}\n`;
  const folder = folderOf({ 'prompts/check.md': text });
  const { session } = openMemorySession({ environment: { NATTER_CONFIG_DIR: folder } });
  const { signal } = session.context;
  expect(findPromptFiles(session.context)).toEqual([{ name: 'check', summary: 'a review' }]);
  expect(await openPrompt(session, 'other', signal)).toBeUndefined();
  const opened = await openPrompt(session, 'check', signal);
  expect(opened).toMatchObject({ model: 'nextgen', neededText: 'text for {{stdin}}' });
  expect(await opened?.fill({ lang: 'js' }, 'a b', signal)).toMatchObject({
    content: 'review js: a b',
    settings: {
      model: 'nextgen',
      system: 'be kind',
      parameters: { set: { top_p: 0.5 }, removed: [] },
    },
  });
});
