import fs from 'node:fs';
import path from 'node:path';
import type Conf from 'conf';
import { Failure } from '../failure.ts';
import { makePrivateFolder, removeFile } from '../storage/files.ts';
import { type LockOptions, withLock } from '../storage/lock/lock.ts';
import { errorCode, storageFailure } from '../storage/storage-failure.ts';
import {
  type CredentialsDocument,
  emptyCredentials,
  emptySettings,
  parseCredentialsDocument,
  parseSettingsDocument,
  type SettingsDocument,
  type StoredSettings,
} from './stored-settings.ts';

/** One of the two files in the configuration folder. */
export interface SettingsFile<Document> {
  /** Without folder and without `.json`. */
  readonly name: 'config' | 'credentials';
  readonly empty: Document;
  parse(text: string, path: string): Document;
}

export const settingsFile: SettingsFile<SettingsDocument> = {
  name: 'config',
  empty: emptySettings,
  parse: parseSettingsDocument,
};

export const credentialsFile: SettingsFile<CredentialsDocument> = {
  name: 'credentials',
  empty: emptyCredentials,
  parse: parseCredentialsDocument,
};

export function settingsPath(folder: string, file: Pick<SettingsFile<unknown>, 'name'>): string {
  return path.join(folder, `${file.name}.json`);
}

/** The variable that sets the folder of both files. */
export const configVariable = 'NATTER_CONFIG_DIR';

/** Read and write for the owner only. */
export const privateMode = 0o600;

function tighten(descriptor: number, filePath: string): string | undefined {
  const mode = fs.fstatSync(descriptor).mode & 0o777;
  if ((mode & 0o077) === 0) return undefined;
  const finding = `others could read ${filePath} (mode ${mode.toString(8).padStart(4, '0')})`;
  try {
    fs.fchmodSync(descriptor, privateMode);
    return `${finding}; it is private now`;
  } catch (error) {
    return `${finding} and natter cannot change that (${errorCode(error) ?? 'unknown error'})`;
  }
}

interface Content {
  readonly text: string;
  readonly warning: string | undefined;
}

function readContent(filePath: string, mustBePrivate: boolean): Content | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(filePath, 'r');
    const warning = mustBePrivate ? tighten(descriptor, filePath) : undefined;
    return { text: fs.readFileSync(descriptor, 'utf8'), warning };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw storageFailure('read', filePath, error, configVariable);
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

export interface SettingsReading {
  readonly stored: StoredSettings;
  /** For the user, for example about a credentials file that others could read. */
  readonly warnings: readonly string[];
}

/**
 * Reads both files; a missing file or folder counts as empty. Every command calls this, so it imports little.
 * A credentials file that others can read is made private, except on Windows.
 * @throws Failure `configuration` for a damaged file, which stays unchanged; `storage` for an unreadable one
 */
export function readStoredSettings(
  folder: string | undefined,
  platform: NodeJS.Platform,
): SettingsReading {
  const warnings: string[] = [];
  const read = <Document>(file: SettingsFile<Document>): Document => {
    if (folder === undefined) return file.empty;
    const filePath = settingsPath(folder, file);
    const content = readContent(filePath, file.name === 'credentials' && platform !== 'win32');
    if (content?.warning !== undefined) warnings.push(content.warning);
    return content === undefined ? file.empty : file.parse(content.text, filePath);
  };
  return { stored: { settings: read(settingsFile), credentials: read(credentialsFile) }, warnings };
}

export interface StoreAccess extends LockOptions {
  /** The configuration folder; undefined if there is no home folder. */
  readonly folder: string | undefined;
  readonly platform: NodeJS.Platform;
}

/** Removes temporary files of interrupted writes: they may contain a deleted key. */
function removeTemporaryFiles(filePath: string): void {
  const target = fs.existsSync(filePath) ? fs.realpathSync(filePath) : filePath;
  const folder = path.dirname(target);
  for (const entry of fs.readdirSync(folder)) {
    if (entry.startsWith(`${path.basename(target)}.tmp-`)) {
      removeFile(path.join(folder, entry));
    }
  }
}

function write<Document extends Readonly<Record<string, unknown>>>(
  Store: typeof Conf,
  { folder, platform }: { readonly folder: string; readonly platform: NodeJS.Platform },
  file: SettingsFile<Document>,
  document: Document,
): void {
  const filePath = settingsPath(folder, file);
  try {
    removeTemporaryFiles(filePath);
    const store = new Store<Record<string, unknown>>({
      cwd: folder,
      configName: file.name,
      configFileMode: privateMode,
      projectSuffix: '',
      accessPropertiesByDotNotation: false,
      // The default of conf fails at a byte order mark and quotes the content of a damaged file.
      deserialize: (text) => ({ ...file.parse(text, filePath) }),
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

function createFolder(folder: string): void {
  try {
    makePrivateFolder(folder);
  } catch (error) {
    throw storageFailure('write', folder, error, configVariable);
  }
}

/**
 * Reads, changes and writes the settings under a lock, so that concurrent changes are not lost. A file is written only
 * if `change` returns a different document for it; it is replaced atomically and is private.
 * @throws Failure `storage` if that fails, `configuration` for a damaged file, or what `change` throws
 */
export async function updateStoredSettings(
  access: StoreAccess,
  change: (stored: StoredSettings) => StoredSettings,
): Promise<StoredSettings> {
  const { folder, platform } = access;
  if (folder === undefined) {
    throw new Failure('storage', 'cannot save settings: the home folder is unknown', {
      hint: `set HOME, or ${configVariable} to a folder of your choice`,
    });
  }
  createFolder(folder);
  // Loaded before the lock is taken: loading takes longer than the write.
  const { default: Store } = await import('conf');
  return withLock(path.join(folder, 'settings.lock'), access, () => {
    const { stored } = readStoredSettings(folder, platform);
    const changed = change(stored);
    const place = { folder, platform };
    // Credentials first: after a crash between the two writes, the new key has an older base URL and is not sent.
    if (changed.credentials !== stored.credentials) {
      write(Store, place, credentialsFile, changed.credentials);
    }
    if (changed.settings !== stored.settings) write(Store, place, settingsFile, changed.settings);
    return changed;
  });
}
