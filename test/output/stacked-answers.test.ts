import { expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { createTextPrinter } from '../../src/output/answer-printer.ts';
import { createStackedAnswers } from '../../src/output/comparison.ts';
import { present } from '../../src/run.ts';
import { plainStyle } from '../../src/terminal/style.ts';
import { createMemoryContext, createMemoryOutput } from '../support/memory-context.ts';
import { finished, text } from '../support/events.ts';
import { answerOf } from './compared-answers.ts';

async function open() {
  const stdout = createMemoryOutput();
  const { context: base } = createMemoryContext();
  const context = { ...base, streams: { ...base.streams, stdout } };
  const presentation = await present(context, { color: 'never', input: true });
  const labelled = ['one', 'two'].map(async (label) => {
    return { label, printer: await createTextPrinter({ context, presentation, format: 'text' }) };
  });
  const answers = await Promise.all(labelled);
  const view = createStackedAnswers(stdout, plainStyle, answers);
  return { stdout, view };
}

test('the first answer is printed while it streams, the other in its turn', async () => {
  const { stdout, view } = await open();
  await view.event(1, text('later'));
  await view.event(0, text('now'));
  expect(stdout.text()).toBe('==> one <==\nnow');
  await view.ended(0, answerOf('one', 'now'));
  expect(stdout.text()).toBe('==> one <==\nnow\n\n==> two <==\nlater');
  await view.event(1, text(' still'));
  await view.ended(1, answerOf('two', 'later still'));
  await view.close();
  expect(stdout.text()).toBe('==> one <==\nnow\n\n==> two <==\nlater still\n');
});

test('no line end is added after one in the answer', async () => {
  const { stdout, view } = await open();
  await view.event(0, text('a\n'));
  await view.ended(0, answerOf('one', 'a\n'));
  await view.close();
  expect(stdout.text()).toBe('==> one <==\na\n');
});

test('an answer without text has a heading only if it is complete', async () => {
  const { stdout, view } = await open();
  await view.ended(0, answerOf('one', '', new Failure('rate_limited', 'too many')));
  await view.event(1, finished);
  await view.ended(1, answerOf('two', ''));
  await view.close();
  expect(stdout.text()).toBe('==> two <==\n');
});

test('the text of unfinished answers is printed at the end', async () => {
  const { stdout, view } = await open();
  await view.event(1, text('b'));
  await view.event(0, text('a'));
  await view.close();
  expect(stdout.text()).toBe('==> one <==\na\n\n==> two <==\nb\n');
});
