import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExamples, readmeExamples, withoutFigures } from '../../scripts/readme/run-examples.ts';
import { blocksOf } from '../support/guide-blocks.ts';

const readme = readFileSync('README.md', 'utf8');
const blocks = blocksOf('README.md', readme);
const examples = readmeExamples(readme);

let shown: Awaited<ReturnType<typeof openExamples>>;
beforeAll(async () => {
  shown = await openExamples();
});
afterAll(() => shown.close());

test('the first two commands of the README install natter, as CI does', () => {
  const [first, second] = blocks.map(({ text }) => text.trim());
  expect(first).toBe('npm ci && npx natter --sandbox "hello"');
  expect(second).toBe('npm ci && npm test');
  expect(readFileSync('.ci/run', 'utf8')).toContain('\nnpm ci && npm test\n');
});

test('every block of the README has an output, or a test that it names', () => {
  const [, ofCI, ...rest] = blocks;
  expect(ofCI?.output).toBeUndefined();
  const untested = rest.filter(
    ({ output, testedBy = '' }) => output === undefined && !existsSync(testedBy),
  );
  expect(untested).toEqual([]);
  expect(examples.length).toBeGreaterThan(6);
});

test.each(examples)('N15: README: $commands prints what is shown', async (example) => {
  expect(withoutFigures(await shown.run(example))).toBe(withoutFigures(example.output));
});
