import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { blocksOf } from '../support/guide-blocks.ts';

/** The part of a Kubernetes schema that the guides use: the fields that an object may have. */
interface Schema {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly fields?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly values?: readonly unknown[];
}

const textual: Schema = { type: 'string' };

const integer: Schema = { type: 'integer' };

const truth: Schema = { type: 'boolean' };

const oneOf = (...values: readonly string[]): Schema => ({ type: 'string', values });

const list = (items: Schema): Schema => ({ type: 'array', items });

const object = (
  fields: Readonly<Record<string, Schema>>,
  ...required: readonly string[]
): Schema => ({
  type: 'object',
  fields,
  required,
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

function isOfType(value: unknown, type: Schema['type']): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object')
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

/** What a value has that its schema does not allow, as `path: problem`. */
function schemaProblems(value: unknown, schema: Schema, path = ''): readonly string[] {
  if (!isOfType(value, schema.type)) return [`${path}: not of type ${schema.type}`];
  if (schema.values?.includes(value) === false) return [`${path}: not ${schema.values.join(', ')}`];
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) => schemaProblems(item, items, `${path}[${index}]`));
  }
  if (schema.fields === undefined) return [];
  const given = value as Readonly<Record<string, unknown>>;
  const missing = (schema.required ?? []).filter((name) => !(name in given));
  return [
    ...missing.map((name) => `${path}: ${name} is missing`),
    ...Object.entries(given).flatMap(([name, inner]) => {
      const field = schema.fields?.[name];
      const place = `${path}.${name}`;
      return field === undefined ? [`${place}: unknown`] : schemaProblems(inner, field, place);
    }),
  ];
}

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
