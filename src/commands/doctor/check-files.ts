import fs from 'node:fs';
import path from 'node:path';
import { conversationsFolder } from '../../conversation/library/conversation-folder.ts';
import { isSecretHeader } from '../../secrecy/secret-parts.ts';
import { resolveCacheFolder, resolveFolders } from '../../settings/folders.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { privateMode, settingsFile, settingsPath } from '../../settings/settings-file.ts';
import { failureReason } from '../../storage/storage-failure.ts';
import type { Context } from '../program/context.ts';
import { asFailure, failedFinding, type AddFinding, type SectionFinding } from './finding.ts';

const writableByOthers = 0o022;
const accessibleToOthers = 0o077;
const modeText = (mode: number) => (mode & 0o777).toString(8).padStart(4, '0');

/** The folder itself, or the nearest one above it that exists. */
function nearestFolder(folder: string): string {
  const parent = path.dirname(folder);
  return fs.existsSync(folder) || parent === folder ? folder : nearestFolder(parent);
}

/** Creates a file and removes it, because modes do not show quotas, full disks and read-only file systems. */
function writeProbe(folder: string, name: string): void {
  const file = path.join(folder, name);
  fs.writeFileSync(file, 'natter doctor\n', { flag: 'wx', mode: privateMode });
  fs.unlinkSync(file);
}

interface CheckedFolder {
  readonly name: string;
  readonly folder: string;
  /** What natter does without it; absent if natter needs it. */
  readonly without?: string;
}

function unusable(checked: CheckedFolder, error: unknown): SectionFinding {
  const { name, folder, without } = checked;
  const text = `cannot write into the ${name} folder ${folder}: ${failureReason(error)}`;
  const check = `${name}-folder`;
  if (without !== undefined) return { check, outcome: 'warning', text, advice: without };
  const advice =
    'check the path, its permissions and the free space; natter config paths lists all paths';
  return { check, outcome: 'failed', kind: 'storage', text, advice };
}

/** @param probeName of the file to create */
function folderFinding(
  checked: CheckedFolder,
  platform: NodeJS.Platform,
  probeName: string,
): SectionFinding {
  const { name, folder } = checked;
  const check = `${name}-folder`;
  try {
    const entry = fs.statSync(folder, { throwIfNoEntry: false });
    if (entry === undefined) {
      fs.accessSync(nearestFolder(folder), fs.constants.W_OK | fs.constants.X_OK);
      const text = `the ${name} folder ${folder} does not exist yet and can be created`;
      return { check, outcome: 'ok', text };
    }
    writeProbe(folder, probeName);
    if (platform !== 'win32' && (entry.mode & writableByOthers) !== 0) {
      const text = `others can change the ${name} folder ${folder} (mode ${modeText(entry.mode)})`;
      return { check, outcome: 'warning', text, advice: `chmod 700 ${folder}` };
    }
    return { check, outcome: 'ok', text: `the ${name} folder ${folder} is writable` };
  } catch (error) {
    return unusable(checked, error);
  }
}

const lowSpace = 100 * 1024 * 1024;

function spaceFinding(folder: string): SectionFinding | undefined {
  const { bavail, bsize } = fs.statfsSync(nearestFolder(folder));
  if (bavail * bsize >= lowSpace) return undefined;
  const text = `only ${Math.floor((bavail * bsize) / 1024 / 1024)} MB are free for conversations`;
  return { check: 'free-space', outcome: 'warning', text, advice: 'free some space on that disk' };
}

/** The file of settings is private only if it has secrets. */
function settingsFileFinding(
  folder: string,
  settings: ResolvedSettings | undefined,
): SectionFinding | undefined {
  const file = settingsPath(folder, settingsFile);
  const entry = fs.statSync(file, { throwIfNoEntry: false });
  const hasSecret = Object.keys(settings?.headers ?? {}).some(isSecretHeader);
  if (entry === undefined || !hasSecret || (entry.mode & accessibleToOthers) === 0) {
    return undefined;
  }
  return {
    check: 'settings-file',
    outcome: 'warning',
    text: `others can read ${file} (mode ${modeText(entry.mode)}), which has a secret header`,
    advice: `chmod 600 ${file}`,
  };
}

const withoutState = 'natter works without it, but keeps no prompt history and no drafts';
const withoutCache = 'natter works without it, but starts more slowly';

function checkedFolders(context: Context): readonly CheckedFolder[] {
  const { config, data, state } = resolveFolders(context);
  const isCached = context.environment['NODE_DISABLE_COMPILE_CACHE'] !== '1';
  const cache = isCached ? resolveCacheFolder(context) : undefined;
  return [
    ...(config === undefined ? [] : [{ name: 'settings', folder: config }]),
    ...(data === undefined ? [] : [{ name: 'data', folder: data }]),
    ...(state === undefined ? [] : [{ name: 'state', folder: state, without: withoutState }]),
    ...(cache === undefined ? [] : [{ name: 'cache', folder: cache, without: withoutCache }]),
  ];
}

function diskFindings(
  context: Context,
  settings: ResolvedSettings | undefined,
): readonly SectionFinding[] {
  const { config, data } = resolveFolders(context);
  const isUnix = context.platform !== 'win32';
  const found = [
    config !== undefined && isUnix ? settingsFileFinding(config, settings) : undefined,
    data === undefined ? undefined : spaceFinding(conversationsFolder(data)),
  ];
  return found.filter((finding) => finding !== undefined);
}

/** Checks natter's folders and the permissions of its files. */
export async function checkFiles(
  context: Context,
  settings: ResolvedSettings | undefined,
  add: AddFinding,
): Promise<void> {
  const addFile = (finding: SectionFinding) => add({ section: 'files', ...finding });
  try {
    const folders = checkedFolders(context);
    if (context.homeDirectory === undefined) {
      const text = 'the home folder is unknown';
      await addFile({ check: 'home', outcome: 'warning', text, advice: 'set HOME' });
    }
    const probeName = `.doctor-${context.process.id}-${context.random().toString(36).slice(2)}`;
    for (const checked of folders) {
      await addFile(folderFinding(checked, context.platform, probeName));
    }
    for (const finding of diskFindings(context, settings)) await addFile(finding);
  } catch (error) {
    await add(failedFinding('files', 'folders', asFailure(error), context));
  }
}
