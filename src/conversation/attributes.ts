import { isJsonObject, type JsonObject } from '../json.ts';

/** Fields of the request body, besides those of the settings. */
export interface ParameterChanges {
  readonly set: Readonly<Record<string, unknown>>;
  /** Names of fields of the settings that are not sent. */
  readonly removed: readonly string[];
}

/** The type of each attribute; its name is the type of its record. */
export interface AttributeValues {
  /** `titleOf` returns the title to show. */
  readonly title: string;
  readonly pin: boolean;
  /** Chosen after the last answer began. */
  readonly model: string;
  /** What the next prompts use. */
  readonly parameters: ParameterChanges;
}

/** What the user sets of a conversation. */
export type Attributes = {
  readonly [Name in keyof AttributeValues]?: AttributeValues[Name] | undefined;
};

export type AttributeName = keyof AttributeValues;

/** The last record of an attribute applies. Versions of natter that do not know it skip the record. */
export interface AttributeRecord {
  readonly type: AttributeName;
  readonly [field: string]: unknown;
}

interface Attribute<Value> {
  /** The fields of a record. */
  readonly write: (value: Value) => JsonObject;
  /** Undefined for an invalid record. */
  readonly read: (record: JsonObject) => Value | undefined;
  /** What lists say of a conversation that has it; they show such conversations first. */
  readonly mark?: string;
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** A list is sorted by the marks in this order. */
const attributes: { readonly [Name in AttributeName]: Attribute<AttributeValues[Name]> } = {
  title: { write: (title) => ({ title }), read: ({ title }) => text(title) },
  pin: {
    write: (pinned) => ({ pinned }),
    read: ({ pinned }) => pinned === true,
    mark: 'pinned',
  },
  model: { write: (model) => ({ model }), read: ({ model }) => text(model) },
  parameters: {
    write: ({ set, removed }) => ({ set, removed }),
    read: ({ set, removed }) => ({
      set: isJsonObject(set) ? set : {},
      removed: Array.isArray(removed) ? removed.filter((name) => typeof name === 'string') : [],
    }),
  },
};

const names = Object.keys(attributes) as readonly AttributeName[];

export const isAttribute = (record: { readonly type?: unknown }): record is AttributeRecord =>
  typeof record.type === 'string' && Object.hasOwn(attributes, record.type);

/** Makes a record for each attribute with a value. */
export function attributeRecords(set: Attributes): readonly AttributeRecord[] {
  const recordOf = <Name extends AttributeName>(type: Name, value: Attributes[Name]) =>
    value === undefined ? [] : [{ type, ...attributes[type].write(value) }];
  return names.flatMap((name) => recordOf(name, set[name]));
}

/** Reads the attribute that a record sets; undefined for an invalid record, and one of a different type. */
export function readAttribute(record: { readonly type?: unknown }): Attributes | undefined {
  if (!isAttribute(record)) return undefined;
  const value = attributes[record.type].read(record);
  return value === undefined ? undefined : { [record.type]: value };
}

/** The marks of lists, in their order. */
export const allMarks = names.flatMap((name) => attributes[name].mark ?? []);

/** What lists say of a conversation, besides its title. */
export function marksOf(set: Attributes): readonly string[] {
  return names.flatMap((name) => (set[name] === true ? (attributes[name].mark ?? []) : []));
}
