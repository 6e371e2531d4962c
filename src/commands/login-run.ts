import type { ModelRecord } from '../client/contract.ts';
import { decodeText } from '../conversation/decode-text.ts';
import { Failure } from '../failure.ts';
import { parseApiKey } from '../settings/api-key.ts';
import { definitions } from '../settings/definitions.ts';
import { defaultProfile } from '../settings/profile-name.ts';
import { saveCredential, setStoredSetting } from '../settings/profiles.ts';
import type { Resolved, ResolvedSettings } from '../settings/resolved-settings.ts';
import { resolveSettings } from '../settings/resolve.ts';
import { parseSettingValue, type ValueOrigin } from '../settings/setting-value.ts';
import type { LoginOptions } from './auth.ts';
import type { Context } from './context.ts';
import { present, type Presentation } from './presentation.ts';
import { chooseRecording } from './recording-choice.ts';
import { openService, readStored } from './service.ts';
import { changeStored } from './settings-access.ts';

const typedBaseUrl: ValueOrigin = { label: 'the base URL', kind: 'usage' };

async function askBaseUrl(
  context: Context,
  options: LoginOptions,
  settings: ResolvedSettings,
): Promise<string> {
  const { baseUrl: known } = settings.values;
  const decided = settings.sources.baseUrl.kind !== 'profile' && known !== undefined;
  if (decided) return known;
  if (context.streams.stdin.isTerminal && options.input) {
    const suggestion = known === undefined ? '' : ` [${known}]`;
    const answer = await context.ask(`Base URL of the service${suggestion}: `, {
      signal: context.signal,
    });
    // Refused before the key is asked for, not after.
    if (answer.trim() !== '') return parseSettingValue(definitions.baseUrl, answer, typedBaseUrl);
  }
  if (known !== undefined) return known;
  throw new Failure('usage', 'the base URL of the service is not known', {
    hint: 'pass it: natter auth login --base-url https://api.example.com',
  });
}

const longestKey = 8192;

async function readKeyFromInput(context: Context): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of context.streams.stdin.bytes(context.signal)) {
    size += chunk.length;
    if (size > longestKey) throw new Failure('usage', 'standard input is too long for a key');
    chunks.push(chunk);
  }
  // A byte order mark tells of UTF-16, as PowerShell writes it; what is no text is refused as a key.
  return decodeText(Buffer.concat(chunks), { source: 'standard input', lossy: true });
}

/** An empty answer at the prompt means that the service wants no key. */
async function askKey(context: Context, options: LoginOptions): Promise<string | undefined> {
  const { isTerminal } = context.streams.stdin;
  if (isTerminal && !options.input) {
    throw new Failure('usage', 'the key must come on standard input with --no-input', {
      hint: 'natter auth login --no-input < key.txt',
    });
  }
  const text = isTerminal
    ? await context.ask('API key (not shown; empty for none): ', {
        hidden: true,
        signal: context.signal,
      })
    : await readKeyFromInput(context);
  if (isTerminal && text.trim() === '') return undefined;
  return parseApiKey(text, 'the API key', 'usage');
}

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
  return `${model}, the model in force, is not one of them: natter config set model ${id}${flag}`;
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
    withheld: settings.withheld.filter(({ what }) => what !== 'API key'),
    ...(apiKey === undefined
      ? {}
      : { apiKey: { value: apiKey, source: { kind: 'flag', name: 'login' } } }),
  });
  try {
    const records = await service.client.listModels({ signal: context.signal });
    return { finding: `answered: ${describeModels(records)}`, models: records };
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') {
      const finding = 'reached, but it lists no models, so the key could not be checked';
      return { finding, models: [] };
    }
    throw error;
  } finally {
    await service.close();
  }
}

function refuseWithoutService(context: Context, options: LoginOptions): void {
  if (options.sandbox === true) {
    throw new Failure('usage', 'the sandbox needs no login', {
      hint: 'natter --sandbox "a prompt" answers without a key',
    });
  }
  if (chooseRecording(options, context.environment).replay !== undefined) {
    throw new Failure('usage', 'a recording needs no login', {
      hint: 'leave out --replay, or unset NATTER_REPLAY, to connect to a service',
    });
  }
}

/**
 * Runs `natter auth login`: nothing is stored before the service has accepted it.
 * @throws Failure
 */
export async function login(context: Context, options: LoginOptions): Promise<void> {
  refuseWithoutService(context, options);
  const presentation = present(context, options);
  const { notices } = presentation;
  const stored = readStored(context, notices);
  const resolve = (flags: LoginOptions) =>
    resolveSettings({ flags, environment: context.environment, stored, allowNewProfile: true });
  const known = resolve(options);
  const baseUrl = await askBaseUrl(context, options, known);
  const apiKey = await askKey(context, options);
  if (apiKey !== undefined) context.secrets.keep({ apiKey });
  // Resolved again, so that the profile's secret headers do not go to the new address.
  const settings = resolve({ ...options, baseUrl });
  const { finding, models } = options.check
    ? await check(context, presentation, options, settings, apiKey)
    : { finding: 'not checked', models: [] };
  const { value: profile, source } = known.profile;
  const { settings: saved } = await changeStored(context, (before) =>
    apiKey === undefined
      ? setStoredSetting(before, profile, 'base-url', baseUrl)
      : saveCredential(before, profile, { apiKey, baseUrl }),
  );
  notices.notice(`${baseUrl} ${finding}`);
  const advice = modelAdvice(models, settings.values.model, known.profile);
  if (advice !== undefined) notices.notice(advice);
  notices.notice(`stored in profile ${profile}`);
  if (source.kind === 'flag' && profile !== (saved.profile ?? defaultProfile)) {
    notices.notice(`natter config use ${profile} makes that profile the current one`);
  }
  if (known.sources.baseUrl.kind === 'environment') {
    notices.notice('NATTER_BASE_URL wins over the profile while it is set');
  }
}
