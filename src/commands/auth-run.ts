import { formatTable } from '../output/table.ts';
import { chooseProfile } from '../settings/profile-name.ts';
import { removeCredential } from '../settings/profiles.ts';
import { describeSource, describeWithheld } from '../settings/resolved-settings.ts';
import { listSettings } from '../settings/setting-rows.ts';
import { escapeJson } from '../terminal/escape-json.ts';
import type { StatusOptions } from './auth.ts';
import type { Context } from './context.ts';
import type { GlobalOptions } from './global-options.ts';
import { present } from './presentation.ts';
import { readSettings, readStored } from './service.ts';
import { changeStored } from './settings-access.ts';

/** What `auth status` is about. */
const shownSettings = new Set(['base-url', 'model', 'api-key']);

/** Runs `natter auth status`. @throws Failure */
export async function showStatus(context: Context, options: StatusOptions): Promise<void> {
  const { notices, style } = present(context, options);
  const { stdout } = context.streams;
  const settings = readSettings(context, notices, options);
  const profile = {
    name: 'profile',
    value: settings.profile.value,
    source: settings.profile.source,
  };
  const shown = listSettings(settings).filter(({ name }) => shownSettings.has(name));
  const rows = [profile, ...shown];
  if (options.json === true) {
    const document = rows.map(({ name, value, source }) => ({
      name,
      value: value ?? null,
      source,
    }));
    await stdout.write(`${escapeJson(JSON.stringify(document, undefined, 2))}\n`);
    return;
  }
  const table = rows.map(({ name, value, source }) => [
    name,
    value ?? '(not set)',
    value === undefined ? '' : describeSource(source),
  ]);
  const columns = [{ heading: 'SETTING' }, { heading: 'VALUE' }, { heading: 'SOURCE' }];
  const layout = { isTerminal: stdout.isTerminal, width: stdout.columns(), style };
  await stdout.write(formatTable(columns, table, layout));
  for (const secret of settings.withheld) notices.notice(describeWithheld(secret));
  if (settings.values.baseUrl === undefined) {
    notices.notice('no service is configured; connect one with natter auth login');
  }
}

/** Runs `natter auth logout`. @throws Failure */
export async function logout(context: Context, options: GlobalOptions): Promise<void> {
  const { notices } = present(context, options);
  const stored = readStored(context, notices);
  const { environment } = context;
  const { value: profile } = chooseProfile({ flag: options.profile, environment, stored });
  if (stored.credentials.profiles[profile] === undefined) {
    notices.notice(`profile ${profile} has no stored key`);
  } else {
    await changeStored(context, (before) => removeCredential(before, profile));
    notices.notice(`the key of profile ${profile} is forgotten`);
  }
  if ((environment['NATTER_API_KEY'] ?? '') !== '') {
    notices.notice('NATTER_API_KEY is still set and is used');
  }
}
