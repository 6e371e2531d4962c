/** The part of a Kubernetes schema that the guides use: the fields that an object may have. */
export interface Schema {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly fields?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly values?: readonly unknown[];
}

const text: Schema = { type: 'string' };
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
  { containerName: text, operator: oneOf('In', 'NotIn'), values: list(integer) },
  'operator',
  'values',
);
const podCondition = object({ type: text, status: text }, 'type', 'status');
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
    name: text,
    image: text,
    command: list(text),
    args: list(text),
    env: list(object({ name: text, value: text }, 'name')),
    securityContext,
    volumeMounts: list(
      object({ name: text, mountPath: text, readOnly: truth }, 'name', 'mountPath'),
    ),
  },
  'name',
);
const volume = object(
  {
    name: text,
    secret: object({
      secretName: text,
      items: list(object({ key: text, path: text }, 'key', 'path')),
    }),
    configMap: object({ name: text }),
    persistentVolumeClaim: object({ claimName: text }, 'claimName'),
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
export const jobSchema = object({
  apiVersion: oneOf('batch/v1'),
  kind: oneOf('Job'),
  metadata: object({ name: text }),
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
export function schemaProblems(value: unknown, schema: Schema, path = ''): readonly string[] {
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
