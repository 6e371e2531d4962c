import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { compileSchema } from '../../src/schema/compile-schema.ts';
import { blocksOf } from '../support/guide-blocks.ts';

const textual = { type: 'string' };
const integer = { type: 'integer' };
const truth = { type: 'boolean' };

const oneOf = (...values: readonly string[]) => ({ enum: values });
const list = (items: object) => ({ type: 'array', items });
const object = (properties: object, ...required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const exitCodes = object(
  { containerName: textual, operator: oneOf('In', 'NotIn'), values: list(integer) },
  'operator',
  'values',
);

const podCondition = object({ type: textual, status: textual }, 'type', 'status');

const rule = object(
  {
    action: oneOf('FailJob', 'FailIndex', 'Ignore', 'Count'),
    onExitCodes: exitCodes,
    onPodConditions: list(podCondition),
  },
  'action',
);

const securityContext = object({
  runAsNonRoot: truth,
  runAsUser: integer,
  fsGroup: integer,
  readOnlyRootFilesystem: truth,
  allowPrivilegeEscalation: truth,
});

const container = object(
  {
    name: textual,
    image: textual,
    command: list(textual),
    args: list(textual),
    env: list(object({ name: textual, value: textual }, 'name')),
    securityContext,
    volumeMounts: list(
      object({ name: textual, mountPath: textual, readOnly: truth }, 'name', 'mountPath'),
    ),
  },
  'name',
);

const volume = object(
  {
    name: textual,
    secret: object({
      secretName: textual,
      items: list(object({ key: textual, path: textual }, 'key', 'path')),
    }),
    configMap: object({ name: textual }),
    persistentVolumeClaim: object({ claimName: textual }, 'claimName'),
  },
  'name',
);

const podSpec = object(
  {
    restartPolicy: oneOf('Always', 'OnFailure', 'Never'),
    securityContext,
    containers: list(container),
    volumes: list(volume),
  },
  'containers',
);

/** `io.k8s.api.batch.v1.Job` of Kubernetes 1.33 (api/openapi-spec of kubernetes/kubernetes). */
const jobSchema = object({
  apiVersion: oneOf('batch/v1'),
  kind: oneOf('Job'),
  metadata: object({ name: textual }),
  spec: object(
    {
      activeDeadlineSeconds: integer,
      backoffLimit: integer,
      backoffLimitPerIndex: integer,
      completionMode: oneOf('NonIndexed', 'Indexed'),
      completions: integer,
      parallelism: integer,
      podFailurePolicy: object({ rules: list(rule) }, 'rules'),
      template: object({ spec: podSpec }),
    },
    'template',
  ),
});

interface Rule {
  readonly action: string;
  readonly onExitCodes?: { readonly operator: string; readonly values: readonly number[] };
}

interface Job {
  readonly spec: {
    readonly podFailurePolicy: { readonly rules: readonly Rule[] };
    readonly template: { readonly spec: { readonly restartPolicy: string } };
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
    expect(compileSchema(jobSchema, { label: 'a Job' }).check(job)).toEqual([]);
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
