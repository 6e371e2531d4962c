import { isJsonObject, type JsonObject } from '../json.ts';

/** Fields of the request body, besides those of the settings. */
export interface ParameterChanges {
  readonly set: Readonly<Record<string, unknown>>;
  /** Names of fields of the settings that are not sent. */
  readonly removed: readonly string[];
}

/** What the user sets of a conversation. The name of an attribute is the type of its record. */
export interface Attributes {
  /** `titleOf` returns the title to show. */
  readonly title?: string | undefined;
  /** Lists show pinned conversations first. */
  readonly pin?: boolean | undefined;
  /** Chosen after the last answer began. */
  readonly model?: string | undefined;
  /** What the next prompts use. */
  readonly parameters?: ParameterChanges | undefined;
}

/** The last record of an attribute applies. Versions of natter that do not know it skip the record. */
export interface AttributeRecord {
  readonly type: keyof Attributes;
  readonly [field: string]: unknown;
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Undefined for an invalid record. */
const readers: {
  readonly [Name in keyof Attributes]-?: (record: JsonObject) => Attributes[Name];
} = {
  title: ({ title }) => text(title),
  pin: ({ pinned }) => pinned === true,
  model: ({ model }) => text(model),
  parameters: ({ set, removed }) => ({
    set: isJsonObject(set) ? set : {},
    removed: Array.isArray(removed) ? removed.filter((name) => typeof name === 'string') : [],
  }),
};

export const isAttribute = (record: { readonly type?: unknown }): record is AttributeRecord =>
  typeof record.type === 'string' && Object.hasOwn(readers, record.type);

export function attributeRecords(set: Attributes): readonly AttributeRecord[] {
  const { title, pin: pinned, model, parameters } = set;
  const records: readonly AttributeRecord[] = [
    { type: 'title', title },
    { type: 'pin', pinned },
    { type: 'model', model },
    { type: 'parameters', set: parameters?.set, removed: parameters?.removed },
  ];
  return records.filter(({ type }) => set[type] !== undefined);
}

/** Reads the attribute that a record sets; undefined for an invalid record, and one of a different type. */
export function readAttribute(record: { readonly type?: unknown }): Attributes | undefined {
  if (!isAttribute(record)) return undefined;
  const value = readers[record.type](record);
  return value === undefined ? undefined : { [record.type]: value };
}
