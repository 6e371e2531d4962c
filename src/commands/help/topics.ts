import type { Command } from 'commander';
import { exitCodes, type FailureKind } from '../../failure.ts';
import { keyBindings, keyLabel } from '../../repl/composer/keys/key-bindings.ts';
import { environmentVariables } from '../../settings/environment-variables.ts';
import { wrapText } from '../../terminal/text/wrap.ts';
import { settingRows } from '../config/command.ts';
import { durationNote } from '../../cli/global-options.ts';
import { formatRows, formatSection, serviceRows } from '../../cli/help-format.ts';
import { guides } from './guides.ts';
import { topicNames, type TopicName } from './topic-names.ts';

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

/** Every exit code with its name and meaning, in order. */
export const exitCodeRows: readonly (readonly [code: string, name: string, meaning: string])[] = [
  ['0', 'answered', 'the answer is complete (also finish_reason length)'],
  ...Object.entries(exitCodes).map(
    ([kind, code]) => [String(code), kind, meanings[kind as FailureKind]] as const,
  ),
  ['129', 'SIGHUP', 'the terminal was closed'],
  ['130', 'SIGINT', 'Ctrl+C'],
  ['143', 'SIGTERM', 'terminated'],
];

/** `natter help exit-codes`. */
function exitCodesTopic(): string {
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

/** Indented lines of at most 80 columns. */
function wrap(text: string, indent: number): string {
  const margin = ' '.repeat(indent);
  return wrapText(text, 80 - indent)
    .map((row) => margin + row)
    .join('\n');
}

/** Lines to type begin with `$`; other lines are paragraphs. */
const formatGuide = (text: string) =>
  text
    .split('\n')
    .map((line) => (line.startsWith('$ ') ? `  ${line}` : wrap(line, 0)))
    .join('\n');

function environmentTopic(): string {
  const rows = environmentVariables.map(({ name, summary, default: value }) => {
    const ending = value === undefined ? '' : ` (default: ${value})`;
    return `  ${name}\n${wrap(summary + ending, 6)}`;
  });
  return [
    'Environment variables. Flags override variables, variables override the profile;',
    'an empty variable counts as unset, except in NATTER_PAGER and PAGER.',
    '',
    ...rows,
    '',
  ].join('\n');
}

function settingsTopic(program: Command): string {
  const help = program.createHelp();
  return [
    wrap(
      'A setting is a flag, else an environment variable, else a value of the profile (natter help profiles), else its default. natter auth status shows the source of each. api-key-command and secret-guard have no flag.',
      0,
    ),
    '',
    formatRows(settingRows, help),
    '',
    durationNote,
    '',
    'To show and change the values of the current profile, or of --profile <name>:',
    '  $ natter config list',
    '  $ natter config set model nextgen',
    '  $ natter config unset model',
    '',
  ].join('\n');
}

function serviceTopic(program: Command): string {
  const help = program.createHelp();
  return [
    'Options of every command that uses a service, before or after its name.',
    '',
    formatSection('Service options:', serviceRows(program, help), help),
    '',
    durationNote,
    '',
    'Most of them are settings, too: natter help settings.',
    '',
  ].join('\n');
}

const keyPlaces = [
  ['composer', 'While typing:'],
  ['anywhere', 'Always:'],
  ['completion', 'In the completion menu:'],
  ['search', 'In the search of the prompt history:'],
  ['list', 'In the list of conversations:'],
] as const;

function keysTopic(program: Command): string {
  const help = program.createHelp();
  const sections = keyPlaces.map(([place, heading]) => {
    const rows = keyBindings
      .filter(({ when }) => when === place)
      .map(({ keys, summary }) => ({ term: keys.map(keyLabel).join(', '), description: summary }));
    return formatSection(heading, rows, help);
  });
  const intro = [
    'Keys of a conversation (natter without a prompt). /help lists its commands.',
    'natter config keys lists yours; natter config set keys.ACTION changes them.',
    'For API keys: natter auth --help.',
  ].join('\n');
  return `${[intro, ...sections].join('\n\n')}\n`;
}

/** The topics that are no guides, from the command tree where they describe options. */
const topics: Partial<Record<TopicName, (program: Command) => string>> = {
  environment: environmentTopic,
  'exit-codes': exitCodesTopic,
  keys: keysTopic,
  service: serviceTopic,
  settings: settingsTopic,
};

/** The text of `natter help <name>`; undefined if it is not the name of a topic. */
export function helpTopic(name: string, program: Command): string | undefined {
  const topic = topicNames.find((known) => known === name);
  if (topic === undefined) return undefined;
  const guide = guides[topic];
  return guide === undefined ? topics[topic]?.(program) : `${formatGuide(guide)}\n`;
}
