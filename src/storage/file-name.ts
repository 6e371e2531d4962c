import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../failure.ts';

const wildcards = /[*?]/;

/**
 * Finds the files that match a name with `*` or `?` in its last part, sorted as by a shell; cmd.exe and PowerShell do
 * not expand names. The name of an existing file matches only that file. Empty if nothing matches.
 * @throws the system's error if the folder cannot be read
 */
export function expandName(name: string): readonly string[] {
  const last = path.basename(name);
  if (!wildcards.test(last) || fs.existsSync(name)) return [name];
  const folder = name.slice(0, name.length - last.length);
  const escaped = last.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
  const names = fs.readdirSync(folder === '' ? '.' : folder);
  return names
    .filter((entry) => pattern.test(entry) && (last.startsWith('.') || !entry.startsWith('.')))
    .sort()
    .map((entry) => `${folder}${entry}`);
}

/** Windows opens a device by these names in every folder, with any extension. */
const device = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)$/i;

/**
 * Refuses a name that Windows would write to a device, such as `con.md` and `aux`. People use the bare `NUL` on purpose.
 * @throws Failure `usage`
 */
export function refuseReservedName(name: string, platform: NodeJS.Platform): void {
  if (platform !== 'win32' || name.toUpperCase() === 'NUL') return;
  const [base = ''] = path.win32.basename(name).split(/[.:]/);
  if (!device.test(base.trimEnd())) return;
  throw new Failure('usage', `${name} is a device name on Windows`, {
    hint: 'choose another name',
  });
}
