import fs from 'node:fs';
import path from 'node:path';

import { Failure } from '../failure.ts';
import { type LockOptions, withLock } from '../storage/lock/lock.ts';
import {
  configVariable,
  credentialsFile,
  privateMode,
  readStoredSettings,
  settingsFile,
  settingsPath,
  type SettingsFile,
} from './settings-file.ts';
import { makePrivateFolder, replaceContent } from '../storage/files.ts';
import { storageFailure } from '../storage/storage-failure.ts';
import type { StoredSettings } from './stored-settings.ts';

export interface StoreAccess extends LockOptions {
  /** The configuration folder; undefined if there is no home folder. */
  readonly folder: string | undefined;
  readonly platform: NodeJS.Platform;
}

/** Replaces a file, or the file that a link leads to, for its owner only. */
function write(folder: string, file: SettingsFile<unknown>, document: object): void {
  const filePath = settingsPath(folder, file);
  try {
    const target = fs.existsSync(filePath) ? fs.realpathSync(filePath) : filePath;
    replaceContent(target, `${JSON.stringify(document, undefined, 2)}\n`, privateMode);
  } catch (error) {
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
  return withLock(path.join(folder, 'settings.lock'), access, () => {
    const { stored } = readStoredSettings(folder, platform);
    const changed = change(stored);
    // Credentials first: after a crash between the two writes, the new key has an older base URL and is not sent.
    if (changed.credentials !== stored.credentials) {
      write(folder, credentialsFile, changed.credentials);
    }
    if (changed.settings !== stored.settings) write(folder, settingsFile, changed.settings);
    return changed;
  });
}
