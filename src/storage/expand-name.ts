import fs from 'node:fs';
import path from 'node:path';

const special = /[*?]/;

function patternOf(text: string): RegExp {
  const escaped = text.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
}

/**
 * The files that a name with `*` or `?` in its last part means, sorted, as a shell would list them; cmd.exe and
 * PowerShell do not expand names. The name of an existing file means that file. Empty where nothing matches.
 * @throws the system's error where the folder cannot be read
 */
export function expandName(name: string): readonly string[] {
  const last = path.basename(name);
  if (!special.test(last) || fs.existsSync(name)) return [name];
  const folder = name.slice(0, name.length - last.length);
  const pattern = patternOf(last);
  const names = fs.readdirSync(folder === '' ? '.' : folder);
  return names
    .filter((entry) => pattern.test(entry) && (last.startsWith('.') || !entry.startsWith('.')))
    .sort()
    .map((entry) => `${folder}${entry}`);
}
