import { resolveFolders } from '../../settings/folders.ts';
import { updateStoredSettings } from '../../settings/settings-store.ts';
import type { StoredSettings } from '../../settings/stored-settings.ts';
import type { Context } from '../program/context.ts';

/**
 * Changes what is stored, as one step that no other natter's change is lost to.
 * @throws Failure
 */
export async function changeStored(
  context: Context,
  change: (stored: StoredSettings) => StoredSettings,
): Promise<StoredSettings> {
  const { clock, platform, process } = context;
  const { config: folder } = resolveFolders(context);
  return updateStoredSettings({ folder, platform, clock, process }, change);
}
