import { expect, test } from 'vitest';
import { locateSecrets } from '../../src/input/secret-guard.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { githubToken } from '../support/secret-shapes.ts';

const linesOf = (content: string) =>
  locateSecrets({ secrets: createSecrets({}) }, { name: 'a.log', content }).map(({ line }) => line);

test('each secret has its line', () => {
  expect(linesOf(`${githubToken}\n\n${githubToken} ${githubToken}\n${githubToken}`)).toEqual([
    1, 3, 3, 4,
  ]);
});

test('the lines of many secrets are counted in linear time', () => {
  const count = 30_000;
  // In quadratic time, this would take more than 20 seconds.
  const lines = linesOf(`${githubToken}\n`.repeat(count));
  expect(lines.length).toBe(count);
  expect(lines.at(-1)).toBe(count);
});
