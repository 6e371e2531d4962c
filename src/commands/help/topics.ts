import type { Command, Help } from 'commander';
import { exitCodes, type FailureKind } from '../../failure.ts';
import { keyBindings, keyLabel } from '../../repl/composer/keys/key-bindings.ts';
import { environmentVariables } from '../../settings/environment-variables.ts';
import { settingRows } from '../config/command.ts';
import { formatRows, formatSection, serviceRows, wrapHelp } from '../../cli/help-format.ts';
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
  mismatch: 'the answer does not match --schema, --select or -x',
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

const exitCodeList = (_program: Command, help: Help) =>
  formatRows(
    exitCodeRows.map(([code, name, meaning]) => {
      return { term: `${code.padStart(3)}  ${name}`, description: meaning };
    }),
    help,
  );

function variableList(_program: Command, help: Help): string {
  const rows = environmentVariables.map(({ name, summary, default: value }) => {
    const ending = value === undefined ? '' : ` (default: ${value})`;
    const text = wrapHelp(summary + ending, help, 6).replaceAll('\n', '\n      ');
    return `  ${name}\n      ${text}`;
  });
  return rows.join('\n');
}

const keyPlaces = [
  ['composer', 'While typing:'],
  ['anywhere', 'Always:'],
  ['completion', 'In the completion menu:'],
  ['search', 'In the search of the prompt history:'],
  ['list', 'In the list of conversations:'],
] as const;

function keyList(_program: Command, help: Help): string {
  const sections = keyPlaces.map(([place, heading]) => {
    const rows = keyBindings
      .filter(({ when }) => when === place)
      .map(({ keys, summary }) => ({ term: keys.map(keyLabel).join(', '), description: summary }));
    return formatSection(heading, rows, help);
  });
  return sections.join('\n\n');
}

/** What replaces `{rows}` in a guide. */
const lists: Partial<Record<TopicName, (program: Command, help: Help) => string>> = {
  environment: variableList,
  'exit-codes': exitCodeList,
  keys: keyList,
  service: (program, help) => formatSection('Service options:', serviceRows(program, help), help),
  settings: (_program, help) => formatRows(settingRows, help),
};

/** The text of `natter help <name>`; undefined if it is not the name of a topic. */
export function helpTopic(name: string, program: Command): string | undefined {
  const topic = topicNames.find((known) => known === name);
  if (topic === undefined) return undefined;
  const help = program.createHelp();
  const lines = guides[topic].split('\n').map((line) => {
    if (line === '{rows}') return lists[topic]?.(program, help) ?? '';
    return line.startsWith('$ ') ? `  ${line}` : wrapHelp(line, help);
  });
  return `${lines.join('\n')}\n`;
}
