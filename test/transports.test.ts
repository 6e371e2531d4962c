import { readdirSync, readFileSync } from 'node:fs';
import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { exchangeTests } from './support/exchange-tests.ts';
import { streamFixtures } from './support/stream-fixtures.ts';

const numbered = (letter: string, first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => `${letter}${first + index}`);

const ids = [...numbered('R', 1, 32), ...numbered('S', 1, 54), ...numbered('K', 12, 20)];

const isExchangeTest = picomatch([...exchangeTests]);
/** What sends requests over the transport of the project; a test without it runs twice for nothing. */
const sendsRequests = /from '\.\.\/support\/(?:natter|run-chat|serve)\.ts'/;
const idsOf = (title: string) => title.match(/\b[RSK]\d+\b/g) ?? [];

const sources = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .filter((file) => isExchangeTest(file))
  .map((file) => readFileSync(file, 'utf8'))
  .filter((source) => sendsRequests.test(source));

test('every R, S and K12 to K20 case runs over node:http and over undici', () => {
  const titles = sources.flatMap(
    (source) => source.match(/['"`](?:[RSK]\d+\b[^'"`]*)['"`]/g) ?? [],
  );
  const served = sources.filter((source) => source.includes('test.each(streamFixtures)'));
  const names = served.length === 0 ? [] : streamFixtures.map(({ name }) => name);
  const covered = new Set([...titles, ...names].flatMap(idsOf));
  expect(ids.filter((id) => !covered.has(id))).toEqual([]);
});
