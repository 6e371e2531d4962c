import { Failure } from '../failure.ts';
import { isJsonObject, type JsonObject, parseJson } from '../json.ts';

/** A profile as it is in the file: unchecked values by setting name, and the families. */
export interface Profile {
  readonly [setting: string]: unknown;
  readonly params?: JsonObject;
  readonly headers?: JsonObject;
  readonly prices?: JsonObject;
  readonly keys?: JsonObject;
  readonly colors?: JsonObject;
}

/** `config.json`; unknown keys are preserved. */
export interface SettingsDocument {
  readonly [key: string]: unknown;
  /** The profile that `config use` chose. */
  readonly profile?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

export interface StoredCredential {
  readonly [key: string]: unknown;
  readonly apiKey: string;
  /** The key is sent only to the origin of this address. */
  readonly baseUrl: string;
}

/** `credentials.json`. */
export interface CredentialsDocument {
  readonly [key: string]: unknown;
  readonly profiles: Readonly<Record<string, StoredCredential>>;
}

export interface StoredSettings {
  readonly settings: SettingsDocument;
  readonly credentials: CredentialsDocument;
}

/** The version of both documents that this natter writes. */
const documentVersion = 1;

export const emptySettings: SettingsDocument = { version: documentVersion, profiles: {} };
export const emptyCredentials: CredentialsDocument = { version: documentVersion, profiles: {} };

function damaged(path: string, problem: string): Failure {
  return new Failure('configuration', `cannot use ${path}: ${problem}`, {
    hint: 'correct the file by hand, or move it away and run ‹natter auth login›',
  });
}

function parseContent(text: string, path: string): unknown {
  const content = text.replace(/^\uFEFF/, '');
  if (content.trim() === '') throw damaged(path, 'it is empty');
  const value = parseJson(content);
  if (value === undefined) throw damaged(path, 'it is not valid JSON');
  return value;
}

function parseDocument(text: string, path: string): JsonObject & { readonly profiles: JsonObject } {
  const document = parseContent(text, path);
  if (!isJsonObject(document)) throw damaged(path, 'it is not a JSON object');
  const { version = documentVersion, profiles = {} } = document;
  if (version !== documentVersion) {
    throw new Failure('configuration', `cannot use ${path}: another version of natter wrote it`, {
      hint: 'update natter',
    });
  }
  if (!isJsonObject(profiles)) throw damaged(path, 'its "profiles" is not an object');
  return { ...document, version, profiles };
}

function isProfile(value: unknown): value is Profile {
  return (
    isJsonObject(value) &&
    ['params', 'headers', 'prices', 'keys', 'colors'].every((family) =>
      isJsonObject(value[family] ?? {}),
    )
  );
}

function isCredential(value: unknown): value is StoredCredential {
  return (
    isJsonObject(value) &&
    typeof value['apiKey'] === 'string' &&
    typeof value['baseUrl'] === 'string' &&
    URL.canParse(value['baseUrl'])
  );
}

function parseProfiles<Entry>(
  profiles: JsonObject,
  path: string,
  isWhole: (value: unknown) => value is Entry,
): Readonly<Record<string, Entry>> {
  const entries = Object.entries(profiles).map(([name, value]): [string, Entry] => {
    if (isWhole(value)) return [name, value];
    throw damaged(path, `its profile ${JSON.stringify(name)} is malformed`);
  });
  return Object.fromEntries(entries);
}

/** @throws Failure `configuration` with the file and the problem, never the content */
export function parseSettingsDocument(text: string, path: string): SettingsDocument {
  const { profile, ...document } = parseDocument(text, path);
  if (profile !== undefined && typeof profile !== 'string') {
    throw damaged(path, 'its "profile" is not text');
  }
  const profiles = parseProfiles(document.profiles, path, isProfile);
  return { ...document, ...(profile === undefined ? {} : { profile }), profiles };
}

/** @throws Failure `configuration` with the file and the problem, never the content */
export function parseCredentialsDocument(text: string, path: string): CredentialsDocument {
  const document = parseDocument(text, path);
  return { ...document, profiles: parseProfiles(document.profiles, path, isCredential) };
}

/** The entry with this name, unless it is inherited from Object. */
export function ownEntry<Value>(
  record: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

export function withoutEntry<Value>(
  record: Readonly<Record<string, Value>>,
  name: string,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}
