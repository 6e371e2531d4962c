import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collectMessages } from '../../scripts/reference/messages/collect.ts';
import { messagesMarkdown, remediesMarkdown } from '../../scripts/reference/messages/markdown.ts';
import { readSources } from '../../scripts/reference/messages/syntax.ts';

const messages = collectMessages(readSources());

test('docs/messages.md has the messages of the source; npm run reference updates it', () => {
  expect(readFileSync('docs/messages.md', 'utf8')).toBe(messagesMarkdown(messages));
});

test('docs/remedies.md has the remedies of the source; npm run reference updates it', () => {
  expect(readFileSync('docs/remedies.md', 'utf8')).toBe(remediesMarkdown());
});

test('docs/messages.md has every failure that src creates', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join('src', name), 'utf8'));
  const text = files.join('\n').replace(/^\s*(?:\/\/|\*).*$/gm, '');
  const classes = [...text.matchAll(/class (\w+) extends (?:Request)?Failure\b/g)].map(
    ([, name]) => name,
  );
  const constructed = text.match(new RegExp(`new (?:Failure|${classes.join('|')})\\(`, 'g')) ?? [];
  expect(constructed.length).toBeGreaterThan(100);
  expect(messages.sites).toBe(constructed.length);
  expect(messages.withoutMessage).toEqual([]);
});

test.each([
  ['rate_limited', 'quota exhausted (<status>): <reason>'],
  ['unreachable', 'the TLS certificate of <target> has expired (<code>)'],
  ['server_error', "the service's response is malformed JSON (<length> characters)"],
  ['usage', '--concurrency must be a whole number from 1 to 1000'],
])('the %s message "%s" is found, through tables and functions', (kind, message) => {
  expect(messages.failures).toContainEqual(expect.objectContaining({ kind, message }));
});
