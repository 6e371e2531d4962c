import { type CatalogueEntry, catalogue } from '../client/contract.ts';

// The contract defines neither the fields of a record nor the form of the list. The first shape is the default.

function fullRecord(entry: CatalogueEntry): object {
  return {
    id: entry.id,
    object: 'model',
    context_window: entry.contextWindow,
    typical_latency_ms: entry.typicalLatency,
    purpose: entry.purpose,
  };
}

const hostileRecord = { id: 'red\u001b[31m\u001b]0;title\u0007\u202egpj', object: 'model' };

interface ModelShape {
  readonly summary: string;
  readonly record: (entry: CatalogueEntry) => object;
  readonly list: (records: readonly object[]) => unknown;
}

const shapes = {
  data: {
    summary: '`{"object":"list","data":[…]}` (default)',
    record: fullRecord,
    list: (records) => ({ object: 'list', data: records }),
  },
  array: { summary: '`[…]`', record: fullRecord, list: (records) => records },
  models: {
    summary: '`{"models":[…]}`',
    record: fullRecord,
    list: (records) => ({ models: records }),
  },
  bare: {
    summary: '`{"data":[…]}`, records with only an id',
    record: ({ id }) => ({ id }),
    list: (records) => ({ data: records }),
  },
} satisfies Record<string, ModelShape>;

export type ModelShapeName = keyof typeof shapes;

export const modelShapes: Readonly<Record<ModelShapeName, ModelShape>> = shapes;

interface ModelsFault {
  readonly 'models-shape'?: ModelShapeName;
  readonly hostile?: boolean;
}

/** Body of `GET /v1/models`. */
export function modelList({ 'models-shape': name = 'data', hostile }: ModelsFault): unknown {
  const shape = modelShapes[name];
  const records = catalogue.map(shape.record);
  return shape.list(hostile === true ? [...records, hostileRecord] : records);
}

/** Body of `GET /v1/models/{model}`; undefined for an unknown id. */
export function modelRecord(id: string, { 'models-shape': name = 'data' }: ModelsFault): unknown {
  const entry = catalogue.find((candidate) => candidate.id === id);
  return entry === undefined ? undefined : modelShapes[name].record(entry);
}
