import { Option } from 'commander';
import { settingOption } from '../program/global-options.ts';

export const checkGroup = 'Checked answers:';

/** They print something else, or send several prompts. */
export const uncheckedOptions = ['markdown', 'interactive', 'every', 'split'];

export const schemaOption = (): Option =>
  new Option(
    '--schema <schema>',
    'ask for JSON and check it: a JSON Schema (file or text), or fields: "name, age int"',
  ).conflicts(uncheckedOptions);

export const checkOptions = (): readonly Option[] => [
  schemaOption(),
  new Option('--schema-retries <n>', 'ask again after a mismatch, at most n times; default 1'),
  settingOption('responseFormat'),
];

export const selectOption = (): Option =>
  new Option(
    '--select <pointer>',
    'print one value of a JSON answer, such as /items/0/name',
  ).conflicts(uncheckedOptions);
