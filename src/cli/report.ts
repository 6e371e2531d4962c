import { exitCodes, type Failure, withCommands } from '../failure.ts';
import { rephrase } from '../client/failure/change-failure.ts';
import { isSet, type Environment } from '../environment.ts';
import {
  toFailure,
  failureFields,
  hintOf,
  sendAgainHint,
  setBaseUrlHint,
  timeoutOptions,
  type FrontEndHints,
} from '../output/ending-failure.ts';
import { noticeRows } from '../output/notices.ts';
import { wantsJson, flagValue } from './command-line.ts';
import type { Context } from '../run.ts';
import { cleanLine } from '../secrets/secrets.ts';
import { namedProfile } from '../settings/profiles.ts';
import type { ResolvedSettings } from '../settings/resolved-settings.ts';

/** A word to search for, if it needs no quotes in a shell. */
const searchWord = (name: string) => (/^\w[\w.-]*$/.test(name) ? name : 'WORD');

export const commandHints: FrontEndHints = {
  'send-again': () => sendAgainHint,
  'raise-timeout': ({ limit }) => `try again, or raise the limit with ${timeoutOptions[limit]}`,
  'wait-until': ({ time, seconds }) =>
    `try again after ${time}, or wait for it with ‹--retry-max-wait ${seconds}s›`,
  'slow-down': () => 'wait a moment and try again, or allow more retries with --retries',
  'check-base-url': () => 'check the base URL: ‹natter auth status›',
  'check-host': () => 'check the host of the base URL: ‹natter auth status›',
  'check-connection': () => 'check the base URL and the network: ‹natter auth status›',
  'start-server': ({ port }) =>
    `is the server on port ${port} running? start it, or correct the base URL; ‹natter auth status› shows where it is from`,
  'set-base-url': setBaseUrlHint,
  'remove-user-info': () => 'remove them from the URL; store a key with ‹natter auth login›',
  'use-https': () => 'use an https base URL, or allow it with --allow-insecure',
  'sign-in': () => 'set the key with ‹natter auth login›',
  'enter-key-again': () => 'enter it again: ‹natter auth login›',
  'check-permissions': () =>
    '‹natter auth status› shows the key in use; ask its issuer for more permissions',
  'raise-max-tokens': () => 'raise --max-tokens, or ask for less',
  'check-request': () => '--dry-run shows what is sent',
  'shorten-or-wait': () =>
    'send less text, for example in pieces with --split auto, or wait a minute',
  'shorten-prompt': () =>
    'send less text, send it in pieces with --split auto, or choose a model with a larger window: -m MODEL; natter config set window TOKENS corrects the window that natter expects',
  'remove-parameter': () =>
    'leave out the --param that sets it, or ‹natter config unset params.<name>›; the sandbox takes only model, messages, stream and max_tokens, other servers take more',
  'check-model': () =>
    '‹natter models list› shows the available models; ‹natter auth status› shows the address in use',
  'choose-model': () =>
    '‹natter models list› shows the available models; choose one with ‹-m MODEL› or ‹natter config set model MODEL›',
  'list-models': () => '‹natter models list› shows the available models',
  'list-conversations': ({ name, isInTrash }) =>
    isInTrash
      ? '‹natter conversations list --deleted› shows their ids and titles'
      : `‹natter conversations list› shows ids and titles; ‹natter conversations search ${searchWord(name)}› searches the text`,
  'record-request': ({ file }) =>
    `repeat the request exactly as recorded, or add this one with ‹--record ${file}›`,
};

/** What a service says that takes `max_completion_tokens` instead, or no limit. */
const refusedLimit = /\bmax_tokens\b.*\bmax_completion_tokens\b|\bparameter\W+max_tokens\b/is;

/** A hint that depends on more than the remedy. */
function specialHint(failure: Failure, isKeyOfVariable: boolean): string | undefined {
  const { kind, hint, message, remedy } = failure;
  // natter auth login cannot replace a key from the environment.
  if (remedy?.code === 'sign-in' && hint === undefined && isKeyOfVariable) {
    return 'the key is from NATTER_API_KEY: correct it, or unset it to use a stored key (‹natter auth login›)';
  }
  if (kind === 'invalid_request' && refusedLimit.test(message)) {
    return 'omit -t, or send the limit with ‹--param max_completion_tokens=500›';
  }
  // --schema sends the field because of a setting.
  const isFormat = remedy?.code === 'remove-parameter' && message.includes('response_format');
  return isFormat ? 'omit the field: ‹natter config set response-format none›' : undefined;
}

function withHintFor(failure: Failure, isKeyOfVariable: boolean): Failure {
  const hint = specialHint(failure, isKeyOfVariable) ?? hintOf(failure, commandHints);
  return hint === undefined || hint === failure.markedHint ? failure : rephrase(failure, { hint });
}

/** The failure with the command line's hint for its remedy. */
export const withHint = (failure: Failure, environment: Environment = {}): Failure =>
  withHintFor(failure, isSet(environment, 'NATTER_API_KEY'));

/** {@link withHint} for one of many requests, which may have the key of a different profile. */
export const withRequestHint = (failure: Failure, { apiKey }: ResolvedSettings): Failure =>
  withHintFor(failure, apiKey?.source.name === 'NATTER_API_KEY');

/** Commands that read or change the profile in use. */
const ofProfile =
  /^natter (?:auth (?:login|status)|models list|config (?:unset|set))\b(?!.*--profile)/;

/** A hint whose commands name the profile that failed, so that they do not change a different one. */
export function nameProfile(hint: string, profile: string | undefined): string {
  if (profile === undefined || !/^[\w.-]+$/.test(profile)) return hint;
  return withCommands(hint, (command) => {
    return ofProfile.test(command) ? `‹${command} --profile ${profile}›` : `‹${command}›`;
  });
}

export const messageWithRequest = ({ message, requestId }: Failure): string =>
  requestId === undefined ? message : `${message} (request ${requestId})`;

/**
 * What standard error shows of anything thrown, sanitized, secrets masked: `natter: <what happened>`, and on the next
 * line the hint; after `--json` one JSON line; with `NATTER_DEBUG` the stacks, too.
 */
export function describeFailure(
  error: unknown,
  context: Context,
  args: readonly string[],
): { readonly text: string; readonly exitCode: number } {
  const { environment } = context;
  const { stderr } = context.streams;
  const clean = (part: string) => cleanLine(context, part);
  const failure = withHint(toFailure(error), environment);
  const exitCode = exitCodes[failure.kind];
  const profile = namedProfile(flagValue(args, '--profile'), environment);
  const hint = failure.markedHint && nameProfile(failure.markedHint, profile);
  const stacks: string[] = [];
  let traced: unknown = isSet(environment, 'NATTER_DEBUG') ? failure : undefined;
  for (; traced instanceof Error; traced = traced.cause) {
    stacks.push(...(traced.stack ?? String(traced)).split('\n'));
  }
  const trace = stacks.map((line) => `  ${clean(line)}\n`).join('');
  if (wantsJson(args)) {
    const fields = failureFields(rephrase(failure, { hint }), context);
    return { text: `${JSON.stringify(fields)}\n${trace}`, exitCode };
  }
  const advice = hint === undefined ? '' : `  ${clean(hint)}\n`;
  const columns = stderr.isTerminal ? stderr.columns() : undefined;
  const rows = noticeRows(`natter: ${clean(messageWithRequest(failure))}\n${advice}`, columns);
  return { text: rows + trace, exitCode };
}
