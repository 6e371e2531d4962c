import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandHints } from '../../src/cli/report.ts';
import { commonHints } from '../../src/output/ending-failure.ts';

/** Remedies of failures that only the program throws. */
const programOnly = ['list-conversations', 'raise-max-tokens', 'record-request'];

test('docs/client.md lists the code of every remedy of the client', () => {
  const section = readFileSync('docs/client.md', 'utf8').split('### Remedies')[1] ?? '';
  const [table = ''] = section.split('\n## ');
  const codes = Object.keys({ ...commonHints, ...commandHints });
  const missing = codes.filter((code) => !table.includes(`\`${code}\``));
  expect(missing.sort()).toEqual(programOnly);
});
