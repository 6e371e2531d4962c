import type { Command } from 'commander';
import { environmentVariables } from '../../settings/environment-variables.ts';
import { wrapText } from '../../terminal/text/wrap.ts';
import { settingRows } from '../config/command.ts';
import { durationNote } from '../program/global-options.ts';
import { formatRows, formatSection, serviceRows } from '../program/help-format.ts';
import { exitCodesTopic } from './exit-codes.ts';
import { guides, type Passage } from './guides.ts';
import { topicNames, type TopicName } from './topic-names.ts';

/** Indented lines of at most 80 columns. */
function wrap(text: string, indent: number): string {
  const margin = ' '.repeat(indent);
  return wrapText(text, 80 - indent)
    .map((row) => margin + row)
    .join('\n');
}

const formatPassage = ({ text, lines = [] }: Passage) =>
  [wrap(text, 0), ...lines.map((line) => `  $ ${line}`)].join('\n');

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

async function keysTopic(program: Command): Promise<string> {
  // Only this topic needs the code of conversations.
  const { keyBindings, keyLabel } = await import('../../repl/composer/keys/key-bindings.ts');
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
const topics: Partial<Record<TopicName, (program: Command) => string | Promise<string>>> = {
  environment: environmentTopic,
  'exit-codes': exitCodesTopic,
  keys: keysTopic,
  service: serviceTopic,
  settings: settingsTopic,
};

/** The text of `natter help <name>`; undefined if it is not the name of a topic. */
export async function helpTopic(name: string, program: Command): Promise<string | undefined> {
  const topic = topicNames.find((known) => known === name);
  if (topic === undefined) return undefined;
  const guide = guides[topic];
  return guide === undefined
    ? topics[topic]?.(program)
    : `${guide.map(formatPassage).join('\n\n')}\n`;
}
