import path from 'node:path';

/** Windows opens a device by these names in every folder, whatever their extension. */
const device = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)$/i;

/**
 * Whether Windows would write to a device instead of a file of that name, and lose the text: `con.md`, `aux`. The
 * bare `NUL` is allowed: people use it on purpose.
 */
export function isReservedName(name: string, platform: NodeJS.Platform): boolean {
  if (platform !== 'win32' || name.toUpperCase() === 'NUL') return false;
  const [base = ''] = path.win32.basename(name).split(/[.:]/);
  return device.test(base.trimEnd());
}
