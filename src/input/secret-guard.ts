// What piped and attached text passes before it is sent: secrets in it are refused, confirmed or redacted.
import { isLoopbackName } from '../address.ts';
import { fallbackModels } from '../ask/fallback.ts';
import { changeTexts } from '../ask/client-layers.ts';
import { chooseRecording } from '../ask/recording-choice.ts';
import type { CompletionRequest } from '../client/contract.ts';
import type { ChatEvent } from '../client/events.ts';
import { parseBaseUrl } from '../client/http/base-url.ts';
import type { AttachedFile } from '../conversation/compose-prompt.ts';
import { Failure } from '../failure.ts';
import { createLineCounter } from '../prompt-files/place.ts';
import { count, countOf } from '../output/figures.ts';
import type { Context, Run } from '../run.ts';
import { maskValue } from '../secrets/mask.ts';
import { type MaskedStream, replaceRanges } from '../secrets/secret-filter.ts';
import { maskText, type Secrets, textFilter } from '../secrets/secrets.ts';
import { findSecrets, type FoundSecret } from '../secrets/find-secrets.ts';
import type { ResolvedSettings } from '../settings/resolved-settings.ts';
import { hasControllingTerminal } from '../terminal/device/ask.ts';

interface InspectedText extends AttachedFile {
  /** The number of its first line, of a part of a longer text. */
  readonly firstLine?: number;
}

export type LocatedSecret = ReturnType<typeof locateSecrets>[number];

const shownLength = 4;

/** The secrets in one text. Natter's own are found as they are masked. */
const secretsIn = ({ secrets }: { readonly secrets: Secrets }, text: string) =>
  findSecrets(text, textFilter(secrets)?.find);

const prefix = 'REDACTED_';

/** The end of a text that may be the start of a placeholder. */
const openEnd = /(?:REDACTED_[A-Z0-9_]{0,100}|R[ACDET]{0,7})$/;

/**
 * Replaces the secrets of one run with placeholders, such as `REDACTED_GITHUB_TOKEN_7F3A2C`, and puts the secrets back.
 * Placeholders of different runs differ, so that those of a continued conversation are not mistaken for new ones.
 */
export function openRedaction({ random, secrets }: { random: () => number; secrets: Secrets }) {
  const placeholders = new Map<string, string>();
  function placeholderOf(secret: string, kind: string): string {
    const known = placeholders.get(secret);
    if (known !== undefined) return known;
    const name = kind.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
    // The size makes those of one run differ.
    const number = Math.floor(random() * 0x1_00_00_00) + placeholders.size;
    const id = number.toString(16).toUpperCase().padStart(6, '0').slice(-6);
    const placeholder = `${prefix}${name}_${id}`;
    placeholders.set(secret, placeholder);
    return placeholder;
  }
  function restoreText(text: string): string {
    if (!text.includes(prefix)) return text;
    let restored = text;
    for (const [secret, placeholder] of placeholders) {
      // An answer never shows natter's key.
      restored = restored.replaceAll(placeholder, () => maskText(secrets, secret));
    }
    return restored;
  }
  /** Restores a text that arrives in pieces, also where a placeholder is cut. */
  function createStream(): MaskedStream {
    let held = '';
    return {
      write(text) {
        const whole = held + text;
        [held = ''] = openEnd.exec(whole) ?? [];
        return restoreText(whole.slice(0, whole.length - held.length));
      },
      end() {
        const rest = restoreText(held);
        held = '';
        return rest;
      },
    };
  }
  return {
    /** The same secret has the same placeholder in all texts. */
    redact: (text: string) =>
      replaceRanges(text, secretsIn({ secrets }, text), ({ start, end, kind }) =>
        placeholderOf(text.slice(start, end), kind),
      ),
    restoreText,
    createStream,
    /** An answer to a prompt without placeholders is not held. */
    restore: (events: AsyncIterable<ChatEvent>) =>
      placeholders.size === 0 ? events : changeTexts(events, createStream),
  };
}

export function locateSecrets(
  context: { readonly secrets: Secrets },
  { name, content, firstLine = 1 }: InspectedText,
) {
  const lineAt = createLineCounter(content, firstLine);
  return secretsIn(context, content).map((secret) => {
    const { kind, start } = secret;
    const length = kind.startsWith('password') ? 1 : shownLength;
    const shown = `${content.slice(start, start + length)}…`;
    return {
      ...secret,
      /** The name of the file, or `standard input`. */
      name,
      /** From 1. */
      line: lineAt(start),
      /** Some characters, for a person who has to recognize it. */
      shown,
    };
  });
}

/** `a GitHub token`, `natter's key`. */
function nameOf({ kind }: FoundSecret): string {
  if (kind.endsWith("'s key")) return kind;
  return `${/^[AEIOU]/i.test(kind) ? 'an' : 'a'} ${kind}`;
}

/**
 * `notes.md line 2 has a GitHub token (ghp_…), and 1 more secret`.
 * @param isShown names the first characters, for a person who has to confirm it
 */
export function describeSecrets(
  [first, ...rest]: readonly LocatedSecret[],
  isShown = true,
): string {
  if (first === undefined) return '';
  const shown = isShown ? ` (${first.shown})` : '';
  const more = rest.length === 0 ? '' : `, and ${countOf(rest.length, 'more secret')}`;
  return `${first.name} line ${first.line} has ${nameOf(first)}${shown}${more}`;
}

const refusalHint =
  '--redact sends placeholders and puts the secrets back in the answer; --allow-secrets sends the text as it is';

const hostOf = ({ values }: ResolvedSettings) =>
  parseBaseUrl(values.baseUrl ?? 'http://127.0.0.1').host;

/** @param receiver what would get the text */
export function secretsRefusal(
  located: readonly LocatedSecret[],
  receiver: string,
  hint = refusalHint,
): Failure {
  const what = describeSecrets(located, false);
  return new Failure('secrets', `${what}, so it was not sent to ${receiver}`, { hint });
}

const maxShown = 10;

/** What to do about secrets, and the service that gets them. `ask` refuses where there is no terminal. */
type Plan = NonNullable<ReturnType<typeof planGuard>>;

/** What to do about the secrets: asks where a person can answer. @throws Failure `secrets` for anything but sending */
export async function decide(
  { context, options, presentation: { notices } }: Run,
  { mode, settings }: Plan,
  located: readonly LocatedSecret[],
): Promise<'send' | 'redact'> {
  const { stdin, stderr } = context.streams;
  if (mode === 'redact') {
    notices.notice(`placeholders replace secrets: ${describeSecrets(located, false)}`);
    return 'redact';
  }
  const host = hostOf(settings);
  const hasPerson = stderr.isTerminal && (stdin.isTerminal || hasControllingTerminal());
  if (!options.input || !hasPerson) throw secretsRefusal(located, host);
  for (const secret of located.slice(0, maxShown)) notices.warning(describeSecrets([secret]));
  const rest = located.length - maxShown;
  if (rest > 0) notices.warning(`${count(rest)} more were found`);
  const question = `Send to ${host}, redact or cancel? [s/r/C] `;
  const reply = (await context.ask(question, { signal: context.signal })).trim().toLowerCase();
  if (/^s(?:end)?$/.test(reply)) return 'send';
  if (/^r(?:edact)?$/.test(reply)) return 'redact';
  throw new Failure('secrets', 'cancelled, nothing was sent', {
    hint: '--redact or --allow-secrets answers the question',
  });
}

/** One of many requests as it may be sent, and what puts its redacted secrets back. */
export type GuardedRequest = ReturnType<typeof guardRequest>;

/** @throws Failure `secrets` for a request with a secret that may not be sent */
export function guardRequest(
  context: Context,
  { mode, settings }: Plan,
  request: CompletionRequest,
) {
  if (mode === 'redact') {
    const redaction = openRedaction(context);
    const messages = maskValue(request.messages, redaction.redact);
    return { request: { ...request, messages }, redaction };
  }
  maskValue(request.messages, (text) => {
    const [first] = secretsIn(context, text);
    if (first === undefined) return text;
    const what = `the prompt has ${nameOf(first)}, so it was not sent to ${hostOf(settings)}`;
    throw new Failure('secrets', what, { hint: refusalHint });
  });
  return { request };
}

/**
 * `off` for what stays on this machine: a loopback address, the sandbox, a replay, a dry run. `--redact` applies there,
 * too.
 */
function guardMode({ context, options, settings }: Run) {
  const { allowSecrets = false, redact = false, dryRun = false, sandbox = false } = options;
  const { baseUrl, secretGuard } = settings.values;
  if (redact) return 'redact';
  const isLocal = baseUrl === undefined || isLoopbackName(new URL(baseUrl).hostname);
  const isReplayed = () => chooseRecording(options, context.environment).replay !== undefined;
  return allowSecrets || isLocal || sandbox || dryRun || isReplayed() ? 'off' : secretGuard;
}

/** The plan for all services that may get the prompt; undefined if nothing is checked. @throws Failure `usage` */
export function planGuard(run: Run) {
  return fallbackModels(run)
    .map(({ settings }) => ({ settings, mode: guardMode({ ...run, settings }) }))
    .find(({ mode }) => mode !== 'off');
}

/** The guard of one prompt; undefined if its input is not checked. @throws Failure `usage` */
export function openSecretGuard(run: Run) {
  const plan = planGuard(run);
  if (plan === undefined) return undefined;
  const { context } = run;
  const { redact, restore } = openRedaction(context);
  return {
    /** The texts as they may be sent. @throws Failure `secrets` if they may not */
    async inspect(texts: readonly InspectedText[]): Promise<readonly AttachedFile[]> {
      const located = texts.flatMap((text) => locateSecrets(context, text));
      if (located.length === 0 || (await decide(run, plan, located)) === 'send') return texts;
      return texts.map(({ name, content }) => ({ name, content: redact(content) }));
    },
    /** Puts the redacted secrets back. */
    restore,
  };
}

export type SecretGuard = NonNullable<ReturnType<typeof openSecretGuard>>;
