import {
  address,
  anyText,
  budget,
  command,
  duration,
  fileName,
  identifier,
  keys,
  modelNames,
  oneOf,
  trueOrFalse,
  urlPath,
  wholeNumber,
} from './value-types.ts';
import { conversationDefinitions } from './conversation-definitions.ts';
import type { Definitions, SettingKey } from './setting-values.ts';

/** The table of settings: the source of flags, variables, the settings file, help and checks. */
export const definitions: Definitions = {
  baseUrl: {
    name: 'base-url',
    variable: 'NATTER_BASE_URL',
    type: address,
    summary: 'Address of the service, with or without /v1',
  },
  apiPath: {
    name: 'api-path',
    variable: 'NATTER_API_PATH',
    type: urlPath,
    summary: 'Path of the API after the base URL, instead of /v1; / adds nothing',
  },
  apiKeyCommand: {
    name: 'api-key-command',
    variable: 'NATTER_API_KEY_COMMAND',
    type: command,
    summary: 'Command that prints the key, such as pass show natter; run without a shell',
  },
  model: {
    name: 'model',
    variable: 'NATTER_MODEL',
    type: identifier,
    default: 'origin',
    summary:
      'Model to use, such as origin or nextgen; auto picks the smallest that fits the prompt',
  },
  system: {
    name: 'system',
    variable: 'NATTER_SYSTEM',
    type: anyText,
    summary: 'System prompt sent before the conversation',
  },
  role: {
    name: 'role',
    variable: 'NATTER_ROLE',
    type: fileName,
    summary: 'System prompt by name: the text of roles/NAME.md in the settings folder',
  },
  maxTokens: {
    name: 'max-tokens',
    variable: 'NATTER_MAX_TOKENS',
    type: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    summary: 'Maximum tokens in the answer',
    flagHint: 'a template is a prompt file: natter run NAME sends it; natter prompts lists them',
  },
  retries: {
    name: 'retries',
    variable: 'NATTER_RETRIES',
    type: wholeNumber(0, 100),
    default: 4,
    summary: 'Maximum number of retries',
  },
  retryMaxWait: {
    name: 'retry-max-wait',
    variable: 'NATTER_RETRY_MAX_WAIT',
    type: duration,
    default: 60_000,
    summary: 'Longest Retry-After to wait for',
  },
  connectTimeout: {
    name: 'connect-timeout',
    variable: 'NATTER_CONNECT_TIMEOUT',
    type: duration,
    default: 10_000,
    summary: 'Longest time to connect',
  },
  firstByteTimeout: {
    name: 'first-byte-timeout',
    variable: 'NATTER_FIRST_BYTE_TIMEOUT',
    type: duration,
    default: 600_000,
    summary: 'Longest wait for the first byte of the response',
  },
  idleTimeout: {
    name: 'idle-timeout',
    variable: 'NATTER_IDLE_TIMEOUT',
    type: duration,
    default: 300_000,
    summary: 'Longest pause within an answer',
  },
  timeout: {
    name: 'timeout',
    variable: 'NATTER_TIMEOUT',
    type: duration,
    default: 0,
    summary: 'Total time limit, retries included; 0 means no limit',
  },
  allowInsecure: {
    name: 'allow-insecure',
    variable: 'NATTER_ALLOW_INSECURE',
    type: trueOrFalse,
    default: false,
    summary: 'Send the key over plain http to another host',
  },
  save: {
    name: 'save',
    variable: 'NATTER_SAVE',
    type: trueOrFalse,
    default: true,
    summary: 'Keep conversations on disk',
  },
  fallback: {
    name: 'fallback',
    variable: 'NATTER_FALLBACK',
    type: modelNames,
    summary: 'Models that answer if the first one fails or is too small: nextgen,local:llama3',
  },
  ledger: {
    name: 'ledger',
    variable: 'NATTER_LEDGER',
    type: trueOrFalse,
    default: true,
    summary: 'Keep a line without text for each request (natter usage)',
  },
  secretGuard: {
    name: 'secret-guard',
    variable: 'NATTER_SECRET_GUARD',
    type: oneOf('ask', 'redact', 'off'),
    default: 'ask',
    summary: 'What to do about keys and passwords in piped and attached text',
  },
  responseFormat: {
    name: 'response-format',
    variable: 'NATTER_RESPONSE_FORMAT',
    type: oneOf('none', 'json_object', 'json_schema'),
    default: 'none',
    summary: 'Field response_format to send with --schema: none, json_object or json_schema',
  },
  thinkTags: {
    name: 'think-tags',
    variable: 'NATTER_THINK_TAGS',
    type: oneOf('auto', 'answer'),
    default: 'auto',
    summary:
      '<think>…</think> at the start of an answer: auto hides it as reasoning, answer prints it',
  },
  budget: {
    name: 'budget',
    variable: 'NATTER_BUDGET',
    type: budget,
    summary: 'Most tokens or money of a profile, such as 2M/day, 5usd/week or 20eur/month',
  },
  shellKey: {
    name: 'shell-key',
    variable: 'NATTER_SHELL_KEY',
    type: keys,
    default: 'alt-m',
    summary: 'Key for a command (natter shell-init)',
  },
  shellExplainKey: {
    name: 'shell-explain-key',
    variable: 'NATTER_SHELL_EXPLAIN_KEY',
    type: keys,
    default: 'alt-i',
    summary: 'Key for an explanation (natter shell-init)',
  },
  ...conversationDefinitions,
  window: {
    name: 'window',
    variable: 'NATTER_WINDOW',
    type: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    summary: 'Context window of the models in tokens, instead of what the service reports',
  },
};

function isSettingKey(text: string): text is SettingKey {
  return Object.hasOwn(definitions, text);
}

export const settingKeys: readonly SettingKey[] = Object.keys(definitions).filter(isSettingKey);
