import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../failure.ts';
import { isJsonObject, type JsonObject, locatedProblem, parseJson } from '../json.ts';
import { makePrivateFolder, removeFile, withDescriptor } from '../storage/files.ts';
import { type LockOptions, withLock } from '../storage/lock.ts';
import { errorCode, storageFailure } from '../storage/storage-failure.ts';
import { type Notices, silentNotices } from '../output/notices.ts';
import { type Family, familyNames } from './definitions.ts';
import { resolveFolders, type FolderFacts } from './folders.ts';

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

const documentVersion = 1;

export const nothingStored: StoredSettings = {
  settings: { version: documentVersion, profiles: {} },
  credentials: { version: documentVersion, profiles: {} },
};

type DocumentName = 'config' | 'credentials';

function damaged(file: string, problem: string): Failure {
  return new Failure('configuration', `cannot use ${file}: ${problem}`, {
    hint: 'correct the file by hand, or move it away and run ‹natter auth login›',
  });
}

const isWholeProfile = (value: unknown) =>
  isJsonObject(value) && familyNames.every((name) => isJsonObject(value[name] ?? {}));

function isWholeCredential(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { apiKey, baseUrl } = value;
  return typeof apiKey === 'string' && typeof baseUrl === 'string' && URL.canParse(baseUrl);
}

/** Reads one of the documents. @throws Failure `configuration` with the file and the problem, never the content */
function parseDocument(name: DocumentName, text: string, file: string): object {
  const content = text.replace(/^\uFEFF/, '');
  if (content.trim() === '') throw damaged(file, 'it is empty');
  const document = parseJson(content);
  if (document === undefined) throw damaged(file, `it ${locatedProblem(content)}`);
  if (!isJsonObject(document)) throw damaged(file, 'it is not a JSON object');
  const { version = documentVersion, profiles = {}, profile = '' } = document;
  if (version !== documentVersion) {
    throw new Failure('configuration', `cannot use ${file}: another version of natter wrote it`, {
      hint: 'update natter',
    });
  }
  if (!isJsonObject(profiles)) throw damaged(file, 'its "profiles" is not an object');
  const isWhole = name === 'config' ? isWholeProfile : isWholeCredential;
  const bad = Object.keys(profiles).find((key) => !isWhole(profiles[key]));
  if (bad !== undefined) throw damaged(file, `its profile ${JSON.stringify(bad)} is malformed`);
  if (name === 'config' && typeof profile !== 'string')
    throw damaged(file, 'its "profile" is not text');
  return { ...document, version, profiles };
}

/** Returns the entry with this name, unless it is inherited from Object. */
export function ownEntry<Value>(
  record: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

export function settingsPath(folder: string, name: DocumentName): string {
  return path.join(folder, `${name}.json`);
}

/** The variable that sets the folder of both files. */
export const configVariable = 'NATTER_CONFIG_DIR';

export const privateMode = 0o600;

/** The permissions of a mode in octal: `0644`. */
export const modeText = (mode: number) => (mode & 0o777).toString(8).padStart(4, '0');

/** Makes a file private. @returns a warning if it was not */
function tighten(descriptor: number, filePath: string): string | undefined {
  const { mode } = fs.fstatSync(descriptor);
  if ((mode & 0o077) === 0) return undefined;
  const finding = `others could read ${filePath} (mode ${modeText(mode)})`;
  try {
    fs.fchmodSync(descriptor, privateMode);
    return `${finding}; it is private now`;
  } catch (error) {
    return `${finding} and natter cannot change that (${errorCode(error) ?? 'unknown error'})`;
  }
}

/**
 * Reads both files; a missing file or folder, or one that cannot exist, counts as empty. A credentials file that others
 * can read is made private, with a warning, except on Windows.
 * @throws Failure `configuration` for a damaged file, which stays unchanged; `storage` for an unreadable one
 */
export function readStored(facts: FolderFacts, notices: Notices): StoredSettings {
  const { config: folder } = resolveFolders(facts);
  if (folder === undefined) return nothingStored;
  const read = <Document extends object>(name: DocumentName, empty: Document): Document => {
    const filePath = settingsPath(folder, name);
    let text: string;
    try {
      text = withDescriptor(fs.openSync(filePath, 'r'), (descriptor) => {
        const mustBePrivate = name === 'credentials' && facts.platform !== 'win32';
        const warning = mustBePrivate ? tighten(descriptor, filePath) : undefined;
        if (warning !== undefined) notices.warning(warning);
        return fs.readFileSync(descriptor, 'utf8');
      });
    } catch (error) {
      // Below a file such as /dev/null, the home of some services, there can be no settings.
      if (/^ENO(?:ENT|TDIR)$/.test(errorCode(error) ?? '')) return empty;
      throw storageFailure('read', filePath, error, configVariable);
    }
    return parseDocument(name, text, filePath) as Document;
  };
  return {
    settings: read('config', nothingStored.settings),
    credentials: read('credentials', nothingStored.credentials),
  };
}

/**
 * Reads, changes and writes the settings under a lock, so that concurrent changes are not lost. A file is written only
 * if `change` changed its document; it is replaced atomically and is private.
 * @throws Failure `storage` if that fails, `configuration` for a damaged file, or what `change` throws
 */
export async function changeStored(
  context: LockOptions & FolderFacts,
  change: (stored: StoredSettings) => void,
): Promise<StoredSettings> {
  const { platform } = context;
  const { config: folder = '' } = resolveFolders(context);
  if (folder === '') {
    throw new Failure('storage', 'cannot save settings: the home folder is unknown', {
      hint: `set HOME, or ${configVariable} to a folder of your choice`,
    });
  }
  try {
    makePrivateFolder(folder);
  } catch (error) {
    throw storageFailure('write', folder, error, configVariable);
  }
  // Loaded before the lock is taken: loading takes longer than the write.
  const { default: Conf } = await import('conf');
  function write(name: DocumentName, document: JsonObject): void {
    const filePath = settingsPath(folder, name);
    try {
      const target = fs.existsSync(filePath) ? fs.realpathSync(filePath) : filePath;
      for (const entry of fs.readdirSync(path.dirname(target))) {
        // Left by interrupted writes, they may contain a deleted key.
        const isTemporary = entry.startsWith(`${path.basename(target)}.tmp-`);
        if (isTemporary) removeFile(path.join(path.dirname(target), entry));
      }
      const store = new Conf<Record<string, unknown>>({
        cwd: folder,
        configName: name,
        configFileMode: privateMode,
        projectSuffix: '',
        accessPropertiesByDotNotation: false,
        // The default of conf fails at a byte order mark and quotes the content of a damaged file.
        deserialize: (text) => ({ ...parseDocument(name, text, filePath) }),
        serialize: (value) => `${JSON.stringify(value, undefined, 2)}\n`,
      });
      store.store = { ...document };
      // In some sandboxes conf writes in place, which does not change the mode of an existing file.
      if (platform !== 'win32') fs.chmodSync(filePath, privateMode);
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw storageFailure('write', filePath, error, configVariable);
    }
  }
  return withLock(path.join(folder, 'settings.lock'), context, () => {
    const stored = readStored(context, silentNotices);
    const changed = structuredClone(stored);
    change(changed);
    const { settings, credentials } = changed;
    // Credentials first: after a crash between the two writes, the new key has an older base URL and is not sent.
    if (!isDeepStrictEqual(credentials, stored.credentials)) write('credentials', credentials);
    if (!isDeepStrictEqual(settings, stored.settings)) write('config', settings);
    return changed;
  });
}
