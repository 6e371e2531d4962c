import { isSet } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { chooseProfile } from '../../settings/profile-name.ts';
import { getStoredSetting, removeCredential } from '../../settings/profiles.ts';
import {
  describeSource,
  describeUnsent,
  type ResolvedSettings,
} from '../../settings/resolved-settings.ts';
import { listSettings, textRow } from '../../settings/setting-rows.ts';
import {
  present,
  type Run,
  type Context,
  type GlobalOptions,
  type JsonOptions,
} from '../../run.ts';
import { printSettings } from '../../output/print-data.ts';
import { chooseRecording } from '../../ask/recording-choice.ts';
import { changeStored, readSettings, readStored } from '../../settings/read-settings.ts';
import { findStoredPath } from '../config/stored-paths.ts';
import { checkService, modelHint } from './check-service.ts';

export interface StatusOptions extends JsonOptions {
  readonly check?: boolean;
}

/** Checks the service without retries. @throws Failure, `configuration` if nothing can answer */
async function showCheck(run: Run<StatusOptions>): Promise<void> {
  const { context, options, presentation, settings } = run;
  const { values, profile } = settings;
  const { replay } = chooseRecording(options, context.environment);
  const answerer = replay?.file ?? (options.sandbox === true ? 'the sandbox' : values.baseUrl);
  if (answerer === undefined) {
    throw new Failure('configuration', 'no service is configured, so there is nothing to check', {
      hint: 'run ‹natter auth login›, or set NATTER_BASE_URL',
    });
  }
  const once = { ...settings, values: { ...values, retries: 0 } };
  const { result, models } = await checkService({ ...run, settings: once });
  const { notices } = presentation;
  notices.notice(`${answerer} ${result}`);
  const hint = modelHint(models, values.model, profile);
  if (hint !== undefined) notices.notice(hint);
}

const shownSettings = new Set(['base-url', 'model', 'api-key']);

/** Where the key is from, beyond what the table shows. */
function keySource(context: Context, settings: ResolvedSettings, isChecked: boolean) {
  const { apiKey, apiKeyCommand, sources, values } = settings;
  if (apiKey?.source.kind === 'profile') {
    return `the key is stored in ${findStoredPath(context, 'credentials').path}`;
  }
  const command = describeSource(sources.apiKeyCommand);
  if (apiKeyCommand !== undefined) {
    const advice = isChecked ? '' : ', which was not run; --check runs it';
    return `the key is from api-key-command (${command})${advice}`;
  }
  if (values.apiKeyCommand === undefined) return undefined;
  if (apiKey !== undefined) return `${apiKey.source.name} overrides api-key-command (${command})`;
  const isForOthers = values.baseUrl !== undefined && sources.apiKeyCommand.kind === 'environment';
  const variable = sources.apiKeyCommand.name;
  return isForOthers ? `${variable} is not run for a service on this machine` : undefined;
}

export async function showStatus(context: Context, options: StatusOptions): Promise<void> {
  const presentation = await present(context, options);
  const settings = readSettings(context, presentation.notices, options);
  const run = { context, options, presentation, settings };
  const profile = textRow('profile', settings.profile.value, settings.profile.source);
  const shown = listSettings(settings).filter(
    ({ name, value }) =>
      shownSettings.has(name) || (name === 'api-key-command' && value !== undefined),
  );
  await printSettings(context, presentation, [profile, ...shown], options);
  const { notices } = presentation;
  const isChecked = options.check === true;
  if (options.json !== true) {
    const key = keySource(context, settings, isChecked);
    if (key !== undefined) notices.notice(key);
    for (const secret of settings.unsentSecrets) notices.notice(describeUnsent(secret));
    const { replay } = chooseRecording(options, context.environment);
    if (replay !== undefined) {
      notices.notice(`answers come from the recording ${replay.file}, not from a service`);
    } else if (settings.values.baseUrl === undefined && !isChecked) {
      notices.notice('no service is configured; connect one with ‹natter auth login›');
    }
  }
  if (isChecked) await showCheck(run);
}

export async function logout(context: Context, options: GlobalOptions): Promise<void> {
  const { notices } = await present(context, options);
  const stored = readStored(context, notices);
  const { environment } = context;
  const { value: profile } = chooseProfile(options.profile, environment, stored);
  if (stored.credentials.profiles[profile] === undefined) {
    notices.notice(`profile ${profile} has no stored key`);
  } else {
    await changeStored(context, (before) => removeCredential(before, profile));
    notices.notice(`deleted the key of profile ${profile}`);
  }
  for (const name of ['NATTER_API_KEY', 'NATTER_API_KEY_COMMAND']) {
    if (isSet(environment, name)) notices.notice(`${name} is still set and takes effect`);
  }
  if (getStoredSetting(stored, profile, 'api-key-command') !== undefined) {
    notices.notice(`api-key-command is still set in profile ${profile} and takes effect`);
  }
}
