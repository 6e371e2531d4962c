import { type Secrets, maskMessage, maskText, textFilter } from '../../program/secrets.ts';
import type { ChatEvent } from '../../../client/events.ts';
import { parseBaseUrl } from '../../../client/http/base-url.ts';
import type { AttachedFile } from '../../../conversation/compose-prompt.ts';
import { Failure } from '../../../failure.ts';
import { createLineCounter } from '../../../line-counter.ts';
import { count, countOf } from '../../../output/figures.ts';
import { createNotices, type Notices } from '../../../output/notices.ts';
import { findSecrets, type FoundSecret } from '../../../secrets/shapes/find-secrets.ts';
import { createRedactions, type Redactions } from '../../../secrets/shapes/redactions.ts';
import type { SecretGuardMode } from '../../../settings/setting-values.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import { hasControllingTerminal } from '../../../terminal/device/ask.ts';
import type { Context } from '../../program/context.ts';
import { changeTexts } from '../../service/masked-client.ts';
import type { GlobalOptions } from '../../program/global-options.ts';

export interface InspectedText extends AttachedFile {
  /** The number of its first line, of a part of a longer text. */
  readonly firstLine?: number;
}

/** A secret with its place. */
export interface LocatedSecret extends FoundSecret {
  /** Of the file, or `standard input`. */
  readonly name: string;
  /** From 1. */
  readonly line: number;
  /** Some characters, for a person who has to recognize it. */
  readonly shown: string;
}

/** Placeholders in place of secrets, and the secrets in place of placeholders. */
export interface Redaction {
  readonly redactions: Redactions;
  restore(events: AsyncIterable<ChatEvent>): AsyncIterable<ChatEvent>;
}

const shownLength = 4;

function beginningOf(content: string, { kind, start }: FoundSecret): string {
  const length = kind.startsWith('password') ? 1 : shownLength;
  return `${content.slice(start, start + length)}…`;
}

/** The secrets in one text. Natter's own are found as they are masked. */
export function secretsIn({ secrets }: { readonly secrets: Secrets }, text: string) {
  return findSecrets(text, textFilter(secrets)?.find);
}

export function openRedaction({ random, secrets }: Context): Redaction {
  // An answer never shows natter's key.
  const redactions = createRedactions(random, (secret) => maskText(secrets, secret));
  return {
    redactions,
    restore: (events) => changeTexts(events, () => redactions.createStream()),
  };
}

const article = (kind: string) => (/^[AEIOU]/i.test(kind) ? 'an' : 'a');

/** The secrets in a text, with their places. */
export function locateSecrets(
  context: { readonly secrets: Secrets },
  { name, content, firstLine = 1 }: InspectedText,
): readonly LocatedSecret[] {
  const lineAt = createLineCounter(content, firstLine);
  return secretsIn(context, content).map((secret) => {
    return { ...secret, name, line: lineAt(secret.start), shown: beginningOf(content, secret) };
  });
}

/** `a GitHub token`, `natter's key`. */
const nameOf = ({ kind }: FoundSecret) =>
  kind.endsWith("'s key") ? kind : `${article(kind)} ${kind}`;

const placeOf = ({ name, line }: LocatedSecret) => `${name} line ${line}`;

/** `and 2 more secrets`. */
const others = (number: number) => (number === 0 ? '' : `, and ${countOf(number, 'more secret')}`);

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
  const [first] = located;
  if (first === undefined) throw new Error('there is no secret to refuse');
  const what = `${placeOf(first)} has ${nameOf(first)}${others(located.length - 1)}`;
  return new Failure('secrets', `${what}, so it was not sent to ${receiver}`, { hint });
}

/** @throws Failure `secrets` for one of many prompts */
export function refuseSecrets({ settings }: Plan, found: FoundSecret): never {
  throw new Failure(
    'secrets',
    `the prompt has ${nameOf(found)}, so it was not sent to ${hostOf(settings)}`,
    {
      hint: refusalHint,
    },
  );
}

/** What a person has to confirm: `notes.md line 2 has a GitHub token (ghp_…), and 1 more secret`. */
export function describeSecrets([first, ...rest]: readonly LocatedSecret[]): string {
  if (first === undefined) return '';
  return `${placeOf(first)} has ${nameOf(first)} (${first.shown})${others(rest.length)}`;
}

const maxShown = 10;

type Choice = 'send' | 'redact';

/** Asks a person what to do. @throws Failure `secrets` for anything but sending */
async function ask(
  { ask: askPerson, signal }: Context,
  notices: Notices,
  located: readonly LocatedSecret[],
  host: string,
): Promise<Choice> {
  for (const secret of located.slice(0, maxShown)) {
    notices.warning(`${placeOf(secret)} has ${nameOf(secret)} (${secret.shown})`);
  }
  const rest = located.length - maxShown;
  if (rest > 0) notices.warning(`${count(rest)} more were found`);
  const question = `Send to ${host}, redact or cancel? [s/r/C] `;
  const reply = (await askPerson(question, { signal })).trim().toLowerCase();
  if (/^s(?:end)?$/.test(reply)) return 'send';
  if (/^r(?:edact)?$/.test(reply)) return 'redact';
  throw new Failure('secrets', 'cancelled, nothing was sent', {
    hint: '--redact or --allow-secrets answers the question',
  });
}

export interface Plan {
  readonly mode: SecretGuardMode;
  readonly settings: ResolvedSettings;
  /** Of earlier texts. */
  readonly redaction?: Redaction | undefined;
}

/** What to do about the secrets: asks where a person can answer. @throws Failure `secrets` */
export async function decide(
  context: Context,
  options: GlobalOptions,
  { mode, settings }: Plan,
  located: readonly LocatedSecret[],
): Promise<Choice> {
  const { stdin, stderr } = context.streams;
  const notices = createNotices(stderr, options.quiet === true, (text) =>
    maskMessage(context.secrets, text),
  );
  const host = hostOf(settings);
  if (mode === 'redact') {
    const [first] = located;
    if (first === undefined) return 'redact';
    const rest = others(located.length - 1);
    notices.notice(`a placeholder replaces ${nameOf(first)} in ${placeOf(first)}${rest}`);
    return 'redact';
  }
  const hasPerson = stderr.isTerminal && (stdin.isTerminal || hasControllingTerminal());
  const canAsk = options.input && hasPerson;
  if (!canAsk) throw secretsRefusal(located, host);
  return ask(context, notices, located, host);
}

/** The texts with placeholders. @param earlier of texts before, so that a secret keeps its placeholder */
export function redactTexts(
  context: Context,
  texts: readonly AttachedFile[],
  earlier: Redaction | undefined,
): { readonly texts: readonly AttachedFile[]; readonly redaction: Redaction } {
  const redaction = earlier ?? openRedaction(context);
  const redacted = texts.map(({ name, content }) => ({
    name,
    content: redaction.redactions.redact(content, secretsIn(context, content)),
  }));
  return { texts: redacted, redaction };
}

/**
 * The texts as they may be sent: unchanged, or with placeholders.
 * @throws Failure `secrets`
 */
export async function inspectTexts(
  context: Context,
  options: GlobalOptions,
  plan: Plan,
  texts: readonly InspectedText[],
): Promise<{
  readonly texts: readonly AttachedFile[];
  readonly redaction: Redaction | undefined;
}> {
  const located = texts.flatMap((text) => locateSecrets(context, text));
  const { redaction: earlier } = plan;
  if (located.length === 0) return { texts, redaction: earlier };
  if ((await decide(context, options, plan, located)) === 'send') {
    return { texts, redaction: earlier };
  }
  return redactTexts(context, texts, earlier);
}
