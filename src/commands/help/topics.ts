import type { Command } from 'commander';
import { environmentVariables } from '../../settings/environment-variables.ts';
import { durationNote } from '../program/global-options.ts';
import { formatRows, formatSection } from '../program/help-format.ts';
import { serviceRows } from '../program/help-items.ts';
import { exitCodesTopic } from './exit-codes.ts';
import { piping, privacy, profiles, troubleshooting, uninstall } from './guides.ts';
import { budget, inputs, schema, secrets } from './prompt-guides.ts';
import { settingRows } from './setting-rows.ts';
import { topicNames, type TopicName } from './topic-names.ts';
import { formatGuide, wrap } from './topic-text.ts';

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
  const { keyBindings, keyLabel } = await import('../../repl/editing/keys/key-bindings.ts');
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

/** The text of a topic, from the command tree where it describes options. */
type Topic = (program: Command) => string | Promise<string>;

const topics: Readonly<Record<TopicName, Topic>> = {
  budget: () => formatGuide(budget),
  environment: environmentTopic,
  'exit-codes': exitCodesTopic,
  inputs: () => formatGuide(inputs),
  keys: keysTopic,
  piping: () => formatGuide(piping),
  privacy: () => formatGuide(privacy),
  profiles: () => formatGuide(profiles),
  schema: () => formatGuide(schema),
  secrets: () => formatGuide(secrets),
  service: serviceTopic,
  settings: settingsTopic,
  troubleshooting: () => formatGuide(troubleshooting),
  uninstall: () => formatGuide(uninstall),
};

/** The text of `natter help <name>`; undefined if it is not the name of a topic. */
export async function helpTopic(name: string, program: Command): Promise<string | undefined> {
  const known = topicNames.find((topic) => topic === name);
  return known === undefined ? undefined : topics[known](program);
}
