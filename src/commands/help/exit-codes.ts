import { exitCodes, type FailureKind } from '../../failure.ts';

const meanings: Readonly<Record<FailureKind, string>> = {
  unexpected: 'a bug in natter, or an unknown failure',
  usage: 'the command line or the input is wrong',
  configuration: 'no service, a wrong setting, or no recorded answer',
  unauthorized: 'the key is missing or was rejected (401)',
  forbidden: 'the key may not use this model or action (403)',
  not_found: 'no such model or path (404), conversation or search hit',
  invalid_request: 'the request was rejected (400) or does not fit',
  rate_limited: 'too many requests (429), retries exhausted',
  server_error: 'the service failed (5xx, bad JSON), retries exhausted',
  unreachable: 'no connection, a timeout, or TLS failed',
  incomplete: 'the answer was cut; its text is kept',
  storage: 'a file or output could not be written',
  mismatch: 'the answer does not match --schema or --select',
  no_answer: 'filtered, refused, or a tool call; its text is kept',
  budget: '--budget, --max-cost or --max-total-tokens is reached',
  truncated_prompt: 'with --strict: the service probably cut the prompt',
  secrets: 'piped or attached text has secrets; nothing was sent',
  unfinished: 'items of a batch are left; another run can help',
};

const signals = [
  ['129', 'SIGHUP', 'the terminal was closed'],
  ['130', 'SIGINT', 'Ctrl+C'],
  ['143', 'SIGTERM', 'terminated'],
] as const;

/** Every exit code with its name and meaning, in order. */
export const exitCodeRows: readonly (readonly [code: string, name: string, meaning: string])[] = [
  ['0', 'answered', 'the answer is complete (also finish_reason length)'],
  ...Object.entries(exitCodes).map(
    ([kind, code]) => [String(code), kind, meanings[kind as FailureKind]] as const,
  ),
  ...signals,
];

/** `natter help exit-codes`. */
export function exitCodesTopic(): string {
  const rows = exitCodeRows.map(
    ([code, name, meaning]) => `  ${code.padStart(3)}  ${name.padEnd(16)} ${meaning}`,
  );
  return [
    'Exit codes, by cause. With --json or --jsonl the name is the field "kind" of the',
    'error line on standard error.',
    '',
    ...rows,
    '',
    'natter batch exits with 0 if every item is answered, and with 75 if another run',
    'can help: all failures are transient (a rate limit, an outage, a cut answer), or',
    'items are left after SIGTERM, SIGUSR1 or --stop-after. Otherwise it exits with',
    'the code of the cause if all failures share one, else with 1.',
    '',
    'Commands exit with 6 if the named model, conversation, answer, code block or',
    'setting value does not exist, or a search has no hit. An empty list and a change',
    'that is already in effect exit with 0.',
    '',
    'If the reader closes standard output early, as in natter … | head -1, natter',
    'exits with 0.',
    '',
  ].join('\n');
}
