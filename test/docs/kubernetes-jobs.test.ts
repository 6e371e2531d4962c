import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ExampleShell, openExampleShell } from '../support/example-shell.ts';
import { blocksOf } from '../support/guide-blocks.ts';
import { jobSchema, schemaProblems } from './job-schema.ts';

interface Rule {
  readonly action: string;
  readonly onExitCodes?: { readonly operator: string; readonly values: readonly number[] };
}

interface Job {
  readonly spec: {
    readonly completionMode?: string;
    readonly completions?: number;
    readonly backoffLimitPerIndex?: number;
    readonly podFailurePolicy: { readonly rules: readonly Rule[] };
    readonly template: {
      readonly spec: {
        readonly restartPolicy: string;
        readonly containers: readonly { readonly command: string[]; readonly args: string[] }[];
      };
    };
  };
}

const guides = ['batch-jobs.md', 'containers.md'];
const jobs = guides.flatMap((guide) =>
  blocksOf(guide, readFileSync(`docs/${guide}`, 'utf8'))
    .filter(({ language, text }) => language === 'yaml' && text.includes('kind: Job'))
    .map(({ text }) => ({ guide, job: parse(text) as Job })),
);

test('both guides have a Job', () => {
  expect(jobs.map(({ guide }) => guide)).toEqual(guides);
});

describe.each(jobs)('the Job of $guide', ({ job }) => {
  const { spec } = job;
  const { rules } = spec.podFailurePolicy;
  const actionOf = (code: number) =>
    rules.find(({ onExitCodes }) => onExitCodes?.values.includes(code))?.action;

  test('has only fields of the published schema', () => {
    expect(schemaProblems(job, jobSchema)).toEqual([]);
  });

  test('follows the rules that Kubernetes checks beyond the schema', () => {
    expect(spec.template.spec.restartPolicy).toBe('Never');
    const isIndexed = spec.completionMode === 'Indexed';
    expect(spec.completions !== undefined).toBe(isIndexed);
    expect(spec.backoffLimitPerIndex !== undefined).toBe(isIndexed);
    for (const { onExitCodes: { values } = { values: [1] } } of rules) {
      expect(values).toEqual([...new Set(values)].toSorted((one, other) => one - other));
      expect(values).not.toContain(0);
    }
  });

  test('starts a run again after exit code 75, and not after a wrong key', () => {
    expect([75, 4, 9].map(actionOf)).toEqual(['Ignore', 'FailJob', undefined]);
  });
});

test('the schema refuses a misspelled field and a wrong value', () => {
  const job = {
    spec: { template: { spec: { containers: [{ nam: 'a' }] } }, completionMode: 'indexed' },
  };
  expect(schemaProblems(job, jobSchema)).toEqual([
    '.spec.template.spec.containers[0]: name is missing',
    '.spec.template.spec.containers[0].nam: unknown',
    '.spec.completionMode: not NonIndexed, Indexed',
  ]);
});

test('the container of the indexed Job sends the prompts of its shard', async () => {
  const shell: ExampleShell = await openExampleShell();
  try {
    const [{ command, args } = { command: [], args: [] }] =
      jobs[0]?.job.spec.template.spec.containers ?? [];
    // Kubernetes replaces the variable.
    const words = [...command, ...args].map((word) =>
      word
        .replace('$(JOB_COMPLETION_INDEX)', '1')
        .replace('/prompts/', '')
        .replace('/results/', ''),
    );
    const { code, stderr, stdout } = await shell.run(
      `JOB_COMPLETION_INDEX=1 ${words.join(' ')} && cat piece-1.jsonl`,
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ index: 1 });
  } finally {
    await shell.close();
  }
});
