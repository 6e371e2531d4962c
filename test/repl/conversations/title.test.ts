import { expect, test } from 'vitest';
import { titleIn } from '../../../src/repl/conversations/title.ts';
import { Failure } from '../../../src/failure.ts';
import { temporaryHome } from '../../support/natter.ts';
import {
  failing,
  hanging,
  openMemorySession,
  type Reply,
  saying,
} from '../../support/memory-session.ts';

test.each([
  ['Why the sky is blue', 'Why the sky is blue'],
  ['**"Why the sky is blue."**', 'Why the sky is blue'],
  ['# Title: `Rayleigh` scattering\n\nIt is short.', 'Rayleigh scattering'],
  ['```\nsnake_case names in C#\n```', 'snake_case names in C#'],
  ["- _L'heure_ [d'été](https://example.com)", "L'heure d'été"],
  ['„2. Weltkrieg“', '2. Weltkrieg'],
  ['Red\u001B[31m \u202Eand\u0007 blue', 'Red and blue'],
  ['青い空の理由。', '青い空の理由'],
  ['long '.repeat(30), `${'long '.repeat(10)}long…`],
  ['\n --- \n**""**', ''],
])('the title in %j is %j', (text, title) => {
  expect(titleIn(text)).toBe(title);
});

/** A saved conversation with titles=model. */
const open = (replies: readonly Reply[], titles: 'words' | 'model' = 'model', saves = true) =>
  openMemorySession({
    replies,
    environment: { NATTER_TITLES: titles },
    ...(saves && { folder: temporaryHome() }),
  });

const titleOf = ({ session }: ReturnType<typeof open>) => session.journal().conversation().title;

test('the model is asked for a title after the first answer of a saved conversation, once', async () => {
  const memory = open([saying('Rayleigh scattering. '.repeat(200)), saying('"Blue skies"')]);
  await memory.submit('why?');
  await expect.poll(() => titleOf(memory)).toBe('Blue skies');
  expect(memory.session.state().conversation.title).toBe('Blue skies');
  const content = memory.requests[1]?.messages[0]?.content ?? '';
  expect(content).toContain('<prompt>\nwhy?\n</prompt>');
  expect(content.length).toBeLessThan(1500);
  expect(memory.requests[1]).not.toHaveProperty('max_tokens');
  await memory.submit('and?');
  expect(memory.requests).toHaveLength(3);
  expect(memory.text()).not.toContain('Blue skies');
});

test.each([
  ['without the setting', open([], 'words')],
  ['if nothing is saved', open([], 'model', false)],
  ['after a cut answer', open([failing(new Failure('incomplete', 'cut'), 'bl')])],
])('no title is asked for %s', async (_when, memory) => {
  await memory.submit('why?');
  expect(memory.requests).toHaveLength(1);
});

test('a title that the user sets meanwhile stays', async () => {
  let give: () => void = () => undefined;
  const held: Reply = async function* reply(request, signal) {
    await new Promise<void>((resolve) => (give = resolve));
    yield* saying('Blue skies')(request, signal);
  };
  const memory = open([saying('blue'), held]);
  await memory.submit('why?', '/rename Mine');
  give();
  await memory.submit('/rename');
  expect(titleOf(memory)).toBe('Mine');
});

test('a failed title changes nothing, and quitting does not wait for one', async () => {
  const memory = open([saying('blue'), failing(new Failure('server_error', 'down'))]);
  await memory.submit('why?');
  expect(memory.text()).not.toContain('down');
  expect(titleOf(memory)).toBeUndefined();
  const waiting = open([saying('blue'), hanging()]);
  await waiting.submit('why?');
  await waiting.session.close();
  expect(waiting.requests).toHaveLength(2);
});
