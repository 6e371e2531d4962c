import { exitCodes, type FailureKind } from '../../failure.ts';
import { environmentVariables } from '../../settings/environment-variables.ts';
import { pipingTopic, privacyTopic, wrap } from './guide-topics.ts';

const meanings: Readonly<Record<FailureKind, string>> = {
  unexpected: 'a fault of natter itself, or one it does not know',
  usage: 'the command line or the input is wrong',
  configuration: 'no service, a wrong setting, or no answer in a recording',
  unauthorized: 'the service wants a key, or refused this one (401)',
  forbidden: 'the key may not use this model or action (403)',
  not_found: 'no such model or path (404), conversation or search hit',
  invalid_request: 'the service refused the request (400), or it cannot fit',
  rate_limited: 'too many requests (429), retries used up',
  server_error: 'the service failed (5xx, bad JSON), retries used up',
  unreachable: 'no connection, a timeout, or TLS failed',
  incomplete: 'the answer was cut; the text that came is kept',
  storage: 'a file or an output could not be written',
  no_answer: 'filtered, refused, or a tool call; its text is kept',
};

const signals = [
  ['129', 'SIGHUP', 'the terminal was closed'],
  ['130', 'SIGINT', 'Ctrl-C'],
  ['143', 'SIGTERM', 'asked to end'],
] as const;

/** Every exit code with its name and meaning, in order. */
export const exitCodeRows: readonly (readonly [code: string, name: string, meaning: string])[] = [
  ['0', 'answered', 'the answer is complete; finish_reason length is too'],
  ...Object.entries(exitCodes).map(
    ([kind, code]) => [String(code), kind, meanings[kind as FailureKind]] as const,
  ),
  ...signals,
];

function exitCodesTopic(): string {
  const rows = exitCodeRows.map(
    ([code, name, meaning]) => `  ${code.padStart(3)}  ${name.padEnd(16)} ${meaning}`,
  );
  return [
    'Exit codes of natter, by cause. With --json or --jsonl the same name is the',
    'field "kind" of the error line on standard error.',
    '',
    ...rows,
    '',
    'natter batch exits with 0 only if every item is answered, with the code of the',
    'cause where all failures have one, and with 1 where they have several. Stopped',
    'by SIGUSR1 before the last item, it exits with 11.',
    '',
    'What is asked for by name or pattern and is not there exits with 6: a model, a',
    'conversation, an answer, a code block, the value of a setting, a search without',
    'a hit. A list that is empty exits with 0, as does a change that was made before.',
    '',
    'Where nobody reads the output any more, as in natter … | head -1, natter stops',
    'quietly, with 0.',
    '',
  ].join('\n');
}

function environmentTopic(): string {
  const rows = environmentVariables.map(({ name, summary, default: value }) => {
    const ending = value === undefined ? '' : ` (default: ${value})`;
    return `  ${name}\n${wrap(summary + ending, 6)}`;
  });
  return [
    'Environment variables that natter reads. A flag wins over a variable, a variable',
    'over the profile; an empty variable counts as unset.',
    '',
    ...rows,
    '',
  ].join('\n');
}

/** Texts of `natter help <topic>`. */
export const helpTopics: ReadonlyMap<string, () => string> = new Map([
  ['environment', environmentTopic],
  ['exit-codes', exitCodesTopic],
  ['piping', pipingTopic],
  ['privacy', privacyTopic],
]);
