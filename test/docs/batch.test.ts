import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { compileSchema } from '../../src/schema/compile-schema.ts';
import { parseNotation } from '../../src/schema/schema-text.ts';
import { openExampleShell } from '../support/example-shell.ts';
import { blocksOf } from '../support/guide-blocks.ts';
import { jsonLines } from '../support/natter.ts';

const guide = readFileSync('docs/batch.md', 'utf8');
const scripts = [...guide.matchAll(/```bash.*\n(?<script>[^]*?)```/g)].map(
  ({ groups }) => groups?.['script'] ?? '',
);

const shell = await openExampleShell();

const [slurm, gridEngine] = ['SLURM', 'SGE_TASK_ID'].map(
  (mark) => scripts.find((text) => text.includes(mark)) ?? '',
);

// Shard 2 of 8, as the example has two prompts.
test.each([
  [
    'Slurm',
    slurm,
    'SLURM_ARRAY_TASK_ID=4 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=10 SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=8',
    '4',
  ],
  [
    'Grid Engine',
    gridEngine,
    'SGE_TASK_ID=2 SGE_TASK_FIRST=1 SGE_TASK_LAST=8 SGE_TASK_STEPSIZE=1',
    '2',
  ],
])('the script for %s runs its shard', async (_, script = '', variables, piece) => {
  // srun exists only on machines with Slurm.
  const lines = `srun() { "$@"; }\nexport ${variables}\n(${script.replace('/results/', './')})\ncat piece-${piece}.jsonl`;
  const { code, stdout, stderr } = await shell.run(lines);
  expect(code).toBe(0);
  expect(stderr).toContain('1 of 1 item answered');
  expect(JSON.parse(stdout)).toMatchObject({ index: 2 });
  expect(scripts).toHaveLength(2);
});

function jsonWith(field: string): object {
  const lines = guide.split('\n').filter((line) => line.startsWith('{'));
  return JSON.parse(lines.find((line) => line.includes(`"${field}"`)) ?? '{}') as object;
}

test('the script for Grid Engine asks for another start with 99 after exit code 75', async () => {
  const lines = `natter() { return 75; }\nexport SGE_TASK_ID=2\n(${gridEngine})`;
  expect((await shell.run(lines)).code).toBe(99);
});

test('AWS Batch starts a job again only after exit code 75', () => {
  const { attempts, evaluateOnExit } = jsonWith('evaluateOnExit') as Record<string, unknown>;
  // The API takes 1 to 10 attempts, and text.
  expect(attempts).toBe(10);
  expect(evaluateOnExit).toEqual([
    { onExitCode: '75', action: 'RETRY' },
    { onExitCode: '*', action: 'EXIT' },
  ]);
});

test.each([
  ['max_tokens', '--format jsonl', { id: 'q1', request: { body: { max_tokens: 200 } } }],
  // A request of OpenAI's batches.
  ['custom_id', '', { id: 'q2', request: { body: { top_k: 40 } } }],
])('the item of the guide with %s is a valid one', async (field, option, item) => {
  const line = JSON.stringify(jsonWith(field));
  const { code, stdout } = await shell.run(`echo '${line}' | natter batch --dry-run ${option}`);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject(item);
});

test('the result of the guide has the fields of a real one', async () => {
  const { stdout } = await shell.run('natter batch prompts.jsonl');
  const result = JSON.parse(stdout) as object;
  expect(Object.keys(jsonWith('prompt_hash'))).toEqual(Object.keys(result));
});

/** What a hosted endpoint returns if it answers only the first request. */
const answerFirst = `"${process.execPath}" -e '
const { readFileSync, writeFileSync } = require("fs");
const [first] = readFileSync("requests.jsonl", "utf8").split("\\n");
const { custom_id } = JSON.parse(first);
const message = { role: "assistant", content: "Rayleigh." };
const body = { choices: [{ index: 0, message, finish_reason: "stop" }] };
const response = { status_code: 200, request_id: "req_1", body };
writeFileSync("output.jsonl", JSON.stringify({ id: "batch_req_1", custom_id, response, error: null }));
'`;

test('the results of a hosted endpoint are imported, and missing ones are sent', async () => {
  const [exporting = ''] = /^natter batch export prompts.txt .*-o requests.*$/m.exec(guide) ?? [];
  const [importing = ''] =
    /^natter batch import prompts.txt output.jsonl .*\nnatter batch .*$/m.exec(guide) ?? [];
  const lines = ['rm answers.jsonl', exporting, answerFirst, importing, 'cat answers.jsonl'];
  const { code, stdout } = await shell.run(lines.join('\n'));
  expect(code).toBe(0);
  expect(jsonLines(stdout)).toMatchObject([
    { index: 1, content: 'Rayleigh.' },
    { index: 2, finish_reason: 'stop' },
  ]);
});

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

const job = parse(
  blocksOf('batch.md', guide).find(({ text }) => text.includes('kind: Job'))?.text ?? '',
) as Job;

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
    const indexed = { completionMode: 'Indexed', completions: 8, backoffLimitPerIndex: 3 };
    expect(spec).toMatchObject(indexed);
    for (const { onExitCodes: { values } = { values: [1] } } of rules) {
      expect(values).toEqual([...new Set(values)].toSorted((one, other) => one - other));
      expect(values).not.toContain(0);
    }
  });

  test('starts a run again after exit code 75, and not after a wrong key', () => {
    expect([75, 4, 9].map(actionOf)).toEqual(['Ignore', 'FailJob', undefined]);
  });
});
