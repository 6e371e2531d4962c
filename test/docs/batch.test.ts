import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildBatch } from '../../src/commands/batch/command.ts';
import { examplesOf } from '../../src/commands/program/help-format.ts';
import { type ExampleShell, openExampleShell } from '../support/example-shell.ts';
import { createMemoryContext } from '../support/memory-context.ts';

const guide = readFileSync('docs/batch.md', 'utf8');
const scripts = [...guide.matchAll(/```bash\n(?<script>[^]*?)```/g)].map(
  ({ groups }) => groups?.['script'] ?? '',
);

let shell: ExampleShell;
beforeAll(async () => {
  shell = await openExampleShell();
});
afterAll(() => shell.close());

/** The second of eight: the prompts of the example are two. */
test.each([
  ['Slurm', 'SLURM', 'SLURM_ARRAY_TASK_ID=4 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_COUNT=8', '4'],
  ['Kubernetes', 'JOB_COMPLETION_INDEX', 'JOB_COMPLETION_INDEX=1', '1'],
])('the script for %s takes its share', async (_, mark, variables, piece) => {
  const script = scripts.find((text) => text.includes(mark)) ?? '';
  // Slurm's own command is on its machines only.
  const lines = `srun() { "$@"; }\nexport ${variables}\n(${script.replace('/results/', './')})\ncat piece-${piece}.jsonl`;
  const { code, stdout, stderr } = await shell.run(lines);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('1 of 1 item answered') as string,
  });
  expect(JSON.parse(stdout)).toMatchObject({ index: 2 });
});

test('the guide has no script that is not tested', () => {
  expect(scripts).toHaveLength(2);
});

const command = buildBatch(createMemoryContext().context);

test.each([command, ...command.commands].flatMap(examplesOf))('help: %s', async (line) => {
  const { code, stdout, stderr } = await shell.run(line);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout + stderr).not.toBe('');
});
