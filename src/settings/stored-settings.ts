import { Failure } from '../failure.ts';
import { isJsonObject, type JsonObject, locatedProblem, parseJson } from '../json.ts';
import { type Family, familyNames } from './definitions.ts';

/** A profile as it is in the file: unchecked values by setting name, and the families. */
export type Profile = JsonObject & { readonly [Name in Family]?: JsonObject };

/** `config.json`; unknown keys are preserved. */
interface SettingsDocument {
  readonly [key: string]: unknown;
  /** The profile that `config use` chose. */
  profile?: string;
  readonly profiles: Record<string, Profile>;
}

/** `credentials.json`. A key is sent only to the origin of its address. */
interface CredentialsDocument {
  readonly [key: string]: unknown;
  readonly profiles: Record<
    string,
    JsonObject & { readonly apiKey: string; readonly baseUrl: string }
  >;
}

export interface StoredSettings {
  readonly settings: SettingsDocument;
  readonly credentials: CredentialsDocument;
}

/** The version of both documents that this natter writes. */
const documentVersion = 1;

export const emptySettings: SettingsDocument = { version: documentVersion, profiles: {} };
export const emptyCredentials: CredentialsDocument = { version: documentVersion, profiles: {} };
export const nothingStored = { settings: emptySettings, credentials: emptyCredentials };

function damaged(path: string, problem: string): Failure {
  return new Failure('configuration', `cannot use ${path}: ${problem}`, {
    hint: 'correct the file by hand, or move it away and run ‹natter auth login›',
  });
}

function parseDocument(text: string, path: string, isWhole: (profile: unknown) => boolean) {
  const content = text.replace(/^\uFEFF/, '');
  if (content.trim() === '') throw damaged(path, 'it is empty');
  const document = parseJson(content);
  if (document === undefined) throw damaged(path, `it ${locatedProblem(content)}`);
  if (!isJsonObject(document)) throw damaged(path, 'it is not a JSON object');
  const { version = documentVersion, profiles = {} } = document;
  if (version !== documentVersion) {
    throw new Failure('configuration', `cannot use ${path}: another version of natter wrote it`, {
      hint: 'update natter',
    });
  }
  if (!isJsonObject(profiles)) throw damaged(path, 'its "profiles" is not an object');
  const bad = Object.keys(profiles).find((name) => !isWhole(profiles[name]));
  if (bad !== undefined) throw damaged(path, `its profile ${JSON.stringify(bad)} is malformed`);
  return { ...document, version, profiles };
}

function isProfile(value: unknown): boolean {
  return isJsonObject(value) && familyNames.every((name) => isJsonObject(value[name] ?? {}));
}

function isCredential(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { apiKey, baseUrl } = value;
  return typeof apiKey === 'string' && typeof baseUrl === 'string' && URL.canParse(baseUrl);
}

/** Reads `config.json`. @throws Failure `configuration` with the file and the problem, never the content */
export function parseSettingsDocument(text: string, path: string): SettingsDocument {
  const document = parseDocument(text, path, isProfile);
  const { profile = '' } = document as JsonObject;
  if (typeof profile !== 'string') throw damaged(path, 'its "profile" is not text');
  return document as SettingsDocument;
}

/** Reads `credentials.json`. @throws Failure `configuration` with the file and the problem, never the content */
export function parseCredentialsDocument(text: string, path: string): CredentialsDocument {
  return parseDocument(text, path, isCredential) as CredentialsDocument;
}

/** Returns the entry with this name, unless it is inherited from Object. */
export function ownEntry<Value>(
  record: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
