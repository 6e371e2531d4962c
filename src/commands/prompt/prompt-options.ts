import { Option } from 'commander';
import { collect } from '../program/global-options.ts';
import { settingOption } from '../program/setting-option.ts';

// What every command that sends prompts takes.

/** Values of settings are unparsed text. */
export interface PromptOptions {
  readonly system?: string;
  readonly maxTokens?: string;
  readonly file?: readonly string[];
  readonly param?: readonly string[];
  /** False with `--no-stream`. */
  readonly stream: boolean;
  /** False with `--no-stdin`. */
  readonly stdin: boolean;
  readonly stdinEncoding?: string;
  readonly lossy?: boolean;
}

/** Which conversation a prompt goes on with. */
export interface ConversationOptions {
  readonly continue?: boolean;
  /** An id, a title or `latest`; true without one. */
  readonly resume?: string | true;
  readonly branch?: boolean;
  /** `--save`, `--no-save`; undefined leaves it to the setting. */
  readonly save?: boolean;
}

/** What goes into the request, beside the model. */
export const requestOptions = (): readonly Option[] => [
  settingOption('system', '-s'),
  settingOption('maxTokens', '-t'),
  new Option('-f, --file <path>', 'attach a text file under its name; repeatable').argParser(
    collect,
  ),
  new Option(
    '--param <key=json>',
    'add a field to the request body, a word without quotes as text; repeatable',
  ).argParser(collect),
  new Option('--no-stream', 'ask for the whole answer at once'),
];

/** How standard input and files are read. */
export const inputOptions = (): readonly Option[] => [
  new Option('--no-stdin', 'leave standard input alone; - as a prompt word requires it instead'),
  new Option('--stdin-encoding <label>', 'encoding of standard input and files, default utf-8'),
  new Option('--lossy', 'replace bytes that are not text instead of refusing them'),
];

/** Which conversation to go on with, and whether it is kept. */
export const conversationOptions = (): readonly Option[] => [
  new Option('-c, --continue', 'go on with the conversation that changed last'),
  new Option('--resume [conversation]', 'go on with this one: an id, a title or latest'),
  new Option('--branch', 'go on in a copy of it'),
  new Option('--save', 'keep the conversation, whatever the setting says'),
  new Option('--no-save', 'do not keep the conversation [NATTER_SAVE]'),
];
