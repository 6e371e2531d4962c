import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import { isSecretHeader } from '../../secrets/secret-parts.ts';
import { resolveCacheFolder, resolveFolders } from '../../settings/folders.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { privateMode, settingsPath } from '../../settings/settings-file.ts';
import { failureReason } from '../../storage/storage-failure.ts';
import { asFailure, failed, ok, warning, type Examination, type Finding } from './finding.ts';

const writableByOthers = 0o022;
const accessibleToOthers = 0o077;
const modeText = (mode: number) => (mode & 0o777).toString(8).padStart(4, '0');

/** The folder itself, or the nearest one above it that exists. */
function nearestFolder(folder: string): string {
  const parent = path.dirname(folder);
  return fs.existsSync(folder) || parent === folder ? folder : nearestFolder(parent);
}

const storageHint =
  'check the path, its permissions and the free space; ‹natter config paths› lists all paths';

/** @param without what natter does without the folder; undefined if it needs the folder */
function folderFinding(
  examination: Examination,
  name: string,
  folder: string,
  without?: string,
): Finding {
  const { platform, process, random } = examination.context;
  const check = `${name}-folder`;
  try {
    const entry = fs.statSync(folder, { throwIfNoEntry: false });
    if (entry === undefined) {
      fs.accessSync(nearestFolder(folder), fs.constants.W_OK | fs.constants.X_OK);
      return ok(check, `the ${name} folder ${folder} does not exist yet and can be created`);
    }
    // Modes do not show quotas, full disks and read-only file systems.
    const probe = path.join(folder, `.doctor-${process.id}-${random().toString(36).slice(2)}`);
    fs.writeFileSync(probe, 'natter doctor\n', { flag: 'wx', mode: privateMode });
    fs.unlinkSync(probe);
    if (platform !== 'win32' && (entry.mode & writableByOthers) !== 0) {
      const text = `others can change the ${name} folder ${folder} (mode ${modeText(entry.mode)})`;
      return warning(check, text, `chmod 700 ${folder}`);
    }
    return ok(check, `the ${name} folder ${folder} is writable`);
  } catch (error) {
    const text = `cannot write into the ${name} folder ${folder}: ${failureReason(error)}`;
    if (without !== undefined) return warning(check, text, without);
    const failure = new Failure('storage', text, { hint: storageHint });
    return failed(check, failure, examination);
  }
}

const withoutState = 'natter works without it, but keeps no prompt history and no drafts';
const withoutCache = 'natter works without it, but starts more slowly';

/** Checks natter's folders and the permissions of its files. */
export function* checkFiles(
  examination: Examination,
  settings: ResolvedSettings | undefined,
): Generator<Finding> {
  const { context } = examination;
  try {
    const { config, data, state } = resolveFolders(context);
    if (context.homeDirectory === undefined) {
      yield warning('home', 'the home folder is unknown', 'set HOME');
    }
    const isCached = context.environment['NODE_DISABLE_COMPILE_CACHE'] !== '1';
    const cache = isCached ? resolveCacheFolder(context) : undefined;
    if (config !== undefined) yield folderFinding(examination, 'settings', config);
    if (data !== undefined) yield folderFinding(examination, 'data', data);
    if (state !== undefined) yield folderFinding(examination, 'state', state, withoutState);
    if (cache !== undefined) yield folderFinding(examination, 'cache', cache, withoutCache);
    // The file of settings is private only if it has secrets.
    const hasSecret = Object.keys(settings?.headers ?? {}).some(isSecretHeader);
    if (config !== undefined && context.platform !== 'win32' && hasSecret) {
      const file = settingsPath(config, 'config');
      const { mode = 0 } = fs.statSync(file, { throwIfNoEntry: false }) ?? {};
      const text = `others can read ${file} (mode ${modeText(mode)}), which has a secret header`;
      if ((mode & accessibleToOthers) !== 0)
        yield warning('settings-file', text, `chmod 600 ${file}`);
    }
  } catch (error) {
    yield failed('folders', asFailure(error), examination);
  }
}
