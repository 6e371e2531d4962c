import { keyLabel, parseOwnKeys, withOwnKeys } from '../../repl/editing/keys/key-bindings.ts';
import { describeSource, withoutSources } from '../../settings/resolved-settings.ts';
import { present } from '../print/presentation.ts';
import { printJson, printTable } from '../print/print-data.ts';
import type { Action } from '../program/context.ts';
import type { JsonOptions } from '../program/global-options.ts';
import { readSettings } from '../service/settings-access.ts';

/** Runs `natter config keys`. @throws Failure `configuration` for keys that natter cannot use */
export const listKeys: Action<JsonOptions> = async (context, options) => {
  const presentation = await present(context, options);
  const { keys: stored, profile } = readSettings(context, presentation.notices, options);
  const own = parseOwnKeys(withoutSources(stored), 'configuration', { profile: profile.value });
  const rows = withOwnKeys(own).map(({ action, keys, when, summary }) => {
    const source = stored[action]?.source ?? ({ kind: 'default', name: 'default' } as const);
    return { action, keys, context: when, summary, source };
  });
  if (options.json === true) return printJson(context, rows);
  const cells = rows.map(({ action, keys, summary, source }) => [
    action,
    keys.map(keyLabel).join(', ') || 'none',
    describeSource(source),
    summary,
  ]);
  const columns = ['ACTION', 'KEYS', 'SOURCE', 'WHAT IT DOES'].map((heading) => ({ heading }));
  await printTable(context, presentation, columns, cells);
};
