import fs from 'node:fs';
import path from 'node:path';

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
