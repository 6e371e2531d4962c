import { createRequire } from 'node:module';
import { decodeHTML, decodeHTMLStrict } from 'entities/decode';
import { expect, test } from 'vitest';
import { collectNames } from '../scripts/bundle/entities.js';
import { htmlToText } from '../src/attachments/html-text.ts';
import { processorTime } from './support/processor-time.ts';

type Decode = (text: string) => string;

const load = createRequire(import.meta.url);
const bundled = load('../dist/entities.cjs') as { readonly decodeHTMLStrict: Decode };
const page = load('../dist/html-text.cjs') as { readonly htmlToText: Decode };
const names = [...collectNames().keys()];

/** The texts that the bundle decodes to something else than `entities`. */
const wrong = (texts: readonly string[]) =>
  texts.filter((text) => bundled.decodeHTMLStrict(text) !== decodeHTMLStrict(text));
const wrongPages = (texts: readonly string[]) =>
  texts.filter((text) => page.htmlToText(text) !== htmlToText(text));

test('the bundle decodes every name of the HTML standard as entities does', () => {
  expect(names).toHaveLength(2125);
  expect(wrong(names.map((name) => `a &${name}; b &${name} c &${name}x;`))).toEqual([]);
});

test('the bundle reads every name in a page as htmlparser2 does', () => {
  const withoutSemicolon = names.filter((name) => decodeHTML(`&${name}`) !== `&${name}`);
  expect(withoutSemicolon.length).toBeGreaterThan(106);
  const pages = names.map(
    (name) => `<p>&${name};&${name}x &${name}<img alt="&${name}=&${name}x &${name};&${name}">`,
  );
  expect(wrongPages([...pages, ...names.map((name) => `&${name}`)])).toEqual([]);
});

test('the bundle decodes numbers as entities does', () => {
  const numbers = [
    '0',
    '38',
    '128',
    '129',
    '159',
    '55296',
    '65533',
    '65534',
    '128512',
    '1114111',
    '1114112',
    '9'.repeat(400),
  ];
  const references = numbers.flatMap((one) => [
    `&#${one};`,
    `&#${one}`,
    `&#${one}a`,
    `&#x${one};`,
    `&#X${one}G`,
  ]);
  const broken = [
    '&',
    '&;',
    '&#',
    '&#;',
    '&#x',
    '&#x;',
    '&&amp;',
    '&#&amp;',
    '&amp&amp;',
    '& amp;',
  ];
  const texts = [...references, ...broken];
  expect(wrong(texts)).toEqual([]);
  expect(wrongPages(texts.map((text) => `<p>${text} <img alt="${text}"> ${text}`))).toEqual([]);
});

test.each([
  ['texts', '&a;', bundled.decodeHTMLStrict],
  ['addresses', '<a href="?page=1&page=2&copyright=3">', page.htmlToText],
])('many names that do not exist take little time in %s', async (_, unknown, decode) => {
  const text = unknown.repeat(50_000);
  // With a search of the table for each, they would take two seconds and more.
  expect(await processorTime(() => decode(text))).toBeLessThan(1000);
});
