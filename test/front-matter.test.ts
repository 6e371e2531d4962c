import { expect, test } from 'vitest';
import { splitFrontMatter } from '../src/front-matter.ts';

test.each([
  ['text', undefined, 'text', 1],
  ['\n\n text \n\n', undefined, ' text', 3],
  ['---\na: 1\n---\nbody', 'a: 1\n', 'body', 4],
  ['---\r\na: 1\r\n---\r\n\r\nbody\r\n', 'a: 1\r\n', 'body', 5],
  ['---\n---\nbody', '', 'body', 3],
  ['---\na: 1\n...\nbody', 'a: 1\n', 'body', 4],
  ['---\na: 1\n---', 'a: 1\n', '', 3],
  ['---\nrule without an end', undefined, '---\nrule without an end', 1],
  ['#!/usr/bin/env -S natter run\ntext', undefined, 'text', 2],
  ['#!/usr/bin/env -S natter run\n---\na: 1\n---\nbody', 'a: 1\n', 'body', 5],
  ['#!only', undefined, '', 1],
  ['---\na: "\n--- \n"\n---\nbody', 'a: "\n', '"\n---\nbody', 4],
])('%j is split into front matter and body', (content, frontMatter, body, bodyLine) => {
  expect(splitFrontMatter(content)).toMatchObject({ frontMatter, body, bodyLine });
});
