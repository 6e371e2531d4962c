import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { blocksOf } from '../support/guide-blocks.ts';
import { jobSchema, schemaProblems } from './job-schema.ts';

interface Rule {
  readonly action: string;
  readonly onExitCodes?: { readonly operator: string; readonly values: readonly number[] };
}

interface Job {
  readonly spec: {
    readonly podFailurePolicy: { readonly rules: readonly Rule[] };
    readonly template: {
      readonly spec: {
        readonly restartPolicy: string;
      };
    };
  };
}

const blocks = blocksOf('batch.md', readFileSync('docs/batch.md', 'utf8'));
const job = parse(blocks.find(({ text }) => text.includes('kind: Job'))?.text ?? '') as Job;

describe('the Job of docs/batch.md', () => {
  const { spec } = job;
  const { rules } = spec.podFailurePolicy;
  const actionOf = (code: number) =>
    rules.find(({ onExitCodes }) => onExitCodes?.values.includes(code))?.action;

  test('has only fields of the published schema', () => {
    expect(schemaProblems(job, jobSchema)).toEqual([]);
  });

  test('follows the rules that Kubernetes checks beyond the schema', () => {
    expect(spec.template.spec.restartPolicy).toBe('Never');
    expect(spec).toMatchObject({
      completionMode: 'Indexed',
      completions: 8,
      backoffLimitPerIndex: 3,
    });
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
  const mistaken = {
    spec: { template: { spec: { containers: [{ nam: 'a' }] } }, completionMode: 'indexed' },
  };
  expect(schemaProblems(mistaken, jobSchema)).toEqual([
    '.spec.template.spec.containers[0]: name is missing',
    '.spec.template.spec.containers[0].nam: unknown',
    '.spec.completionMode: not NonIndexed, Indexed',
  ]);
});
