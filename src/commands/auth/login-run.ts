import type { ModelRecord } from '../../client/contract.ts';
import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { defaultProfile } from '../../settings/profile-name.ts';
import { removeCredential, saveCredential, setStoredSetting } from '../../settings/profiles.ts';
import type { Resolved, ResolvedSettings } from '../../settings/resolved-settings.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import { ownEntry } from '../../settings/stored-settings.ts';
import type { LoginOptions } from './options.ts';
import type { Context } from '../program/context.ts';
import { askBaseUrl, askKey, isRefused, tryAgain } from './login-questions.ts';
import { present, type Presentation } from '../print/presentation.ts';
import { chooseRecording } from '../service/recording-choice.ts';
import { openService } from '../service/service.ts';
import { readStored, changeStored, noticeOverrides } from '../service/settings-access.ts';

function describeModels(records: readonly ModelRecord[]): string {
  if (records.length === 0) return 'it lists no models';
  const ids = records.map((record) => record.id);
  const shown = ids.slice(0, 5).join(', ');
  return `it offers ${shown}${ids.length > 5 ? ` and ${ids.length - 5} more` : ''}`;
}

/** What the check of a service found. */
interface Finding {
  /** Completes the sentence that begins with the address. */
  readonly finding: string;
  readonly models: readonly ModelRecord[];
}

/** What to do where the service lists models and the one in force is not among them. */
function modelAdvice(
  models: readonly ModelRecord[],
  model: string,
  profile: Resolved<string>,
): string | undefined {
  const ids = models.map(({ id }) => id);
  if (ids.length === 0 || model === 'auto' || ids.includes(model)) return undefined;
  // The line is there to be pasted into a shell, and the service chose the id.
  const id = ids.find((known) => /^[\w./:@+][\w./:@+-]*$/.test(known)) ?? '<id>';
  const flag = profile.source.kind === 'flag' ? ` --profile ${profile.value}` : '';
  return `${model}, the current model, is not one of them: natter config set model ${id}${flag}`;
}

/** Asks the service for its models with the new key. Some servers have no such list: that is told, not refused. */
async function check(
  context: Context,
  presentation: Presentation,
  options: LoginOptions,
  settings: ResolvedSettings,
  apiKey: string | undefined,
): Promise<Finding> {
  const { apiKey: _old, ...others } = settings;
  const service = await openService(context, presentation, options, {
    ...others,
    unsentSecrets: settings.unsentSecrets.filter(({ what }) => what !== 'API key'),
    ...(apiKey === undefined
      ? {}
      : { apiKey: { value: apiKey, source: { kind: 'flag', name: 'login' } } }),
  });
  try {
    const records = await service.client.listModels({ signal: context.signal });
    return { finding: `answered: ${describeModels(records)}`, models: records };
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') {
      const finding = 'is reachable but lists no models, so the key was not checked';
      return { finding, models: [] };
    }
    throw error;
  } finally {
    await service.close();
  }
}

function refuseWithoutService(environment: Environment, options: LoginOptions): void {
  if (options.sandbox === true) {
    throw new Failure('usage', 'the sandbox needs no login', {
      hint: 'natter --sandbox "a prompt" answers without a key',
    });
  }
  if (chooseRecording(options, environment).replay !== undefined) {
    throw new Failure('usage', 'a recording needs no login', {
      hint: 'leave out --replay, or unset NATTER_REPLAY, to connect to a service',
    });
  }
}

/** What is to be stored, and what the service said of it. */
interface Entered extends Finding {
  readonly apiKey: string | undefined;
  readonly baseUrl: string;
  readonly settings: ResolvedSettings;
}

type Resolve = (flags: LoginOptions) => ResolvedSettings;

/** Asks for what is missing, a key that the service refuses again. @throws Failure */
async function enter(
  context: Context,
  options: LoginOptions,
  presentation: Presentation,
  resolve: Resolve,
): Promise<Entered> {
  const baseUrl = await askBaseUrl(context, options, resolve(options));
  // Resolved again, so that the profile's secret headers do not go to the new address.
  const settings = resolve({ ...options, baseUrl });
  const isRefusal = (failure: Failure) => isRefused(failure) || failure.kind === 'unauthorized';
  return tryAgain(context, options, isRefusal, async (number) => {
    const apiKey = await askKey(context, options, number > 1);
    context.secrets.keep({ apiKey });
    const finding = options.check
      ? await check(context, presentation, options, settings, apiKey)
      : { finding: 'not checked', models: [] };
    return { ...finding, apiKey, baseUrl, settings };
  });
}

/** Stores the address with the key; one that was stored before goes where the service wants none. */
function store(context: Context, profile: string, { apiKey, baseUrl }: Entered) {
  return changeStored(context, (before) =>
    apiKey === undefined
      ? removeCredential(setStoredSetting(before, profile, 'base-url', baseUrl), profile)
      : saveCredential(before, profile, { apiKey, baseUrl }),
  );
}

/**
 * Runs `natter auth login`: nothing is stored before the service has accepted it.
 * @throws Failure
 */
export async function login(context: Context, options: LoginOptions): Promise<void> {
  refuseWithoutService(context.environment, options);
  const presentation = await present(context, options);
  const { notices } = presentation;
  const stored = readStored(context, notices);
  const { environment } = context;
  const resolve: Resolve = (flags) =>
    resolveSettings({ flags, environment, stored, allowNewProfile: true });
  const entered = await enter(context, options, presentation, resolve).finally(context.ask.end);
  const { finding, models, settings } = entered;
  const { value: profile, source } = settings.profile;
  const hadKey = ownEntry(stored.credentials.profiles, profile) !== undefined;
  const { settings: saved } = await store(context, profile, entered);
  notices.notice(`${entered.baseUrl} ${finding}`);
  const advice = modelAdvice(models, settings.values.model, settings.profile);
  if (advice !== undefined) notices.notice(advice);
  notices.notice(`stored in profile ${profile}`);
  if (hadKey && entered.apiKey === undefined)
    notices.notice('the previously stored key was deleted');
  if (source.kind === 'flag' && profile !== (saved.profile ?? defaultProfile)) {
    notices.notice(`natter config use ${profile} makes it the current profile`);
  }
  noticeOverrides(environment, notices);
}
