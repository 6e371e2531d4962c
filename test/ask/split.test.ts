import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Answer } from '../../src/ask/ask.ts';
import { cutText } from '../../src/ask/split.ts';
import { askPieces, openKept } from '../../src/commands/chat/split-run.ts';
import { estimateTokens } from '../../src/conversation/token-estimate.ts';
import { Failure } from '../../src/failure.ts';
import { folderOf } from '../support/folder.ts';
import { expectForAll, fc } from '../support/properties.ts';

function answerOf(content: string, failure?: Failure): Answer {
  const metadata = { complete: failure === undefined };
  return { content, received: content, metadata, failure, error: failure, isStopped: false };
}

const { signal } = new AbortController();
const prompts = Array.from({ length: 20 }, (_, index) => `piece ${index + 1}`);

test('at most four prompts are sent at a time, and all answers are in order', async () => {
  let running = 0;
  let most = 0;
  const answers = await askPieces(prompts, openKept(undefined), signal, async (prompt) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return answerOf(`answer to ${prompt}`);
  });
  expect(most).toBe(4);
  expect(answers.map(({ content }) => content)).toEqual(prompts.map((text) => `answer to ${text}`));
});

test.each([
  ['four failures in a row', 'server_error', 4 + 3],
  ['a key that the service does not accept', 'unauthorized', 4],
] as const)('after %s, only the running prompts end', async (_, kind, most) => {
  let sent = 0;
  const asking = askPieces(prompts, openKept(undefined), signal, async () => {
    sent += 1;
    return answerOf('', new Failure(kind, 'the service failed'));
  });
  await expect(asking).rejects.toThrow(/of 20 pieces failed; the first: the service failed/);
  await expect(asking).rejects.toMatchObject({ kind });
  expect(sent).toBe(most);
});

test('kept answers that cannot be read are a storage failure', () => {
  const folder = folderOf();
  expect(() => openKept(folder)).toThrow(expect.objectContaining({ kind: 'storage' }));
});

test('a kept answer is not asked for again, and a line that was cut is', async () => {
  const file = join(folderOf(), 'kept.jsonl');
  const kept = openKept(file);
  kept.keep('one', answerOf('first'));
  kept.keep('two', answerOf('second'));
  expect(openKept(file).saved()).toBe(2);
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -5));
  const again = openKept(file);
  expect(again.find('one')?.content).toBe('first');
  expect(again.find('two')).toBeUndefined();
});

const words = 'one two three four five six seven eight';

test('lines are kept whole, and as many as fit are in one part', () => {
  const text = `${words}\n`.repeat(5);
  const { parts, longLines } = cutText(text, 'lines', 20);
  expect(longLines).toBe(0);
  expect(parts).toEqual([`${words}\n`.repeat(2), `${words}\n`.repeat(2), `${words}\n`]);
});

test('paragraphs are kept whole, with the blank lines after them', () => {
  const text = `${words}\n${words}\n\n${words}\n \n\n${words}\n`;
  const { parts } = cutText(text, 'paragraphs', 25);
  expect(parts).toEqual([`${words}\n${words}\n\n`, `${words}\n \n\n${words}\n`]);
});

test('a paragraph that does not fit is cut between its lines', () => {
  const { parts } = cutText(`a\n\n${`${words}\n`.repeat(3)}`, 'paragraphs', 12);
  expect(parts).toEqual([`a\n\n${words}\n`, `${words}\n`, `${words}\n`]);
});

test('a line that does not fit is cut between characters, and counted', () => {
  const { parts, longLines } = cutText(`a\n${'x'.repeat(100)}\nb`, 'lines', 10);
  expect(parts.join('')).toBe(`a\n${'x'.repeat(100)}\nb`);
  expect(longLines).toBe(1);
});

test('no text is dropped, no part is too long, and no character is divided', () => {
  const piece = fc.constantFrom('a', 'word ', '\n', '\n\n', '\r\n', ' ', '\u20ac', '\u{1F600}');
  const texts = fc.array(piece, { maxLength: 300 }).map((pieces) => pieces.join(''));
  const border = fc.constantFrom('lines' as const, 'paragraphs' as const);
  expectForAll(texts, border, fc.integer({ min: 2, max: 30 }), (text, kind, most) => {
    const { parts } = cutText(text, kind, most);
    expect(parts.join('')).toBe(text);
    for (const part of parts) {
      expect(estimateTokens(part)).toBeLessThanOrEqual(most);
      expect(Buffer.from(part).toString()).toBe(part);
    }
  });
});
