import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { compileSchema } from '../../src/schema/compile-schema.ts';
import { parseNotation } from '../../src/schema/schema-text.ts';
import { blocksOf } from '../support/guide-blocks.ts';

const security =
  '{ runAsNonRoot? bool, runAsUser? int, fsGroup? int, readOnlyRootFilesystem? bool, allowPrivilegeEscalation? bool }';

/** What the guide uses of `io.k8s.api.batch.v1.Job` of Kubernetes 1.33 (api/openapi-spec of kubernetes/kubernetes). */
const jobSchema = parseNotation(
  `apiVersion, kind, metadata { name? }, spec {
    activeDeadlineSeconds? int, backoffLimit? int, backoffLimitPerIndex? int,
    completionMode? NonIndexed|Indexed, completions? int, parallelism? int,
    podFailurePolicy? { rules [
      action FailJob|FailIndex|Ignore|Count,
      onExitCodes? { containerName?, operator In|NotIn, values int[] },
      onPodConditions? [type, status]
    ] },
    template { spec {
      restartPolicy Always|OnFailure|Never, securityContext? ${security},
      containers [
        name, image?, command? [], args? [], env? [name, value?], securityContext? ${security},
        volumeMounts? [name, mountPath, readOnly? bool]
      ],
      volumes? [
        name, secret? { secretName?, items? [key, path] }, configMap? { name? },
        persistentVolumeClaim? { claimName }
      ]
    } }
  }`,
  'the schema',
);

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
    expect(job).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job' });
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
