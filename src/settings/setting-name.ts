import { Failure, type FailureKind } from '../failure.ts';
import { type SettingKey, definitions, settingKeys } from './definitions.ts';
import { checkColoredPart, coloredParts } from './own-colors.ts';

const prototypeNames = new Set(['__proto__', 'constructor', 'prototype']);

/** Names that would set the prototype of an object. */
export function isPrototypeName(name: string): boolean {
  return prototypeNames.has(name);
}

const bodyFields: ReadonlyMap<string, string> = new Map([
  ['model', 'use --model, or ‹natter config set model›'],
  ['max_tokens', 'use --max-tokens, or ‹natter config set max-tokens›'],
  ['messages', 'natter builds them from the system prompt, the conversation and the prompt'],
  ['stream', 'use --no-stream'],
]);

/**
 * @param where completes the message: ` in profile work`
 * @returns the name
 * @throws Failure of `kind` for a body field that natter sets, or an unsafe name
 */
export function checkParameterName(name: string, kind: FailureKind, where = ''): string {
  const hint = bodyFields.get(name);
  if (hint !== undefined) {
    throw new Failure(kind, `the parameter ${name}${where} is set by natter itself`, { hint });
  }
  if (name === '' || isPrototypeName(name)) {
    throw new Failure(kind, `${JSON.stringify(name)} is not a valid parameter name${where}`);
  }
  return name;
}

const transportHeaders = new Set([
  'connection',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
]);

/**
 * @param where as for `checkParameterName`
 * @returns the name in lower case
 * @throws Failure of `kind` for a header that natter sets, or an invalid name
 */
export function checkHeaderName(name: string, kind: FailureKind, where = ''): string {
  const lower = name.toLowerCase();
  if (lower === 'authorization') {
    throw new Failure(
      kind,
      `the header authorization${where} carries the API key, which is not a setting`,
      {
        hint: '‹natter auth login›',
      },
    );
  }
  if (transportHeaders.has(lower)) {
    throw new Failure(kind, `the header ${lower}${where} is set by natter itself`);
  }
  // RFC 9110, 5.6.2: token.
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || isPrototypeName(name)) {
    throw new Failure(kind, `${JSON.stringify(name)} is not a valid header name${where}`);
  }
  return lower;
}

/** Families of settings; the user chooses the names of their members. */
export const settingFamilies = [
  {
    name: 'params.<name>',
    type: 'JSON',
    summary: 'Extra field of the request body; the flag is --param name=json',
  },
  { name: 'headers.<name>', type: 'text', summary: 'Extra header of every request' },
  {
    name: 'prices.<model>',
    type: 'input/output',
    summary: 'Prices of a million tokens of prompts and answers, such as 0.5/1.5 or 0.5/1.5 EUR',
  },
  {
    name: 'keys.<action>',
    type: 'keys',
    summary: 'Keys of an action in conversations, such as ctrl+x or none (natter config keys)',
  },
  {
    name: 'colors.<part>',
    type: 'colour',
    summary: `Colour of a part of answers, such as red, bright-blue, "#5fafd7 bold" or default; the parts are ${coloredParts.map(({ name }) => name).join(', ')}`,
  },
] as const;

/** Checks the name of a member of a family. @returns the name to store @throws Failure `usage` */
const checkMember = {
  params: (name: string) => checkParameterName(name, 'usage'),
  headers: (name: string) => checkHeaderName(name, 'usage'),
  prices: checkPricedModel,
  keys: checkActionName,
  colors: (name: string) => checkColoredPart(name, 'usage'),
};

/** The member of a profile with the settings of a family. */
export type Family = keyof typeof checkMember;

const isFamily = (text: string): text is Family => Object.hasOwn(checkMember, text);

/** A parsed name of `config set`. */
export type SettingName =
  | { readonly family: undefined; readonly key: SettingKey }
  | { readonly family: Family; readonly key: string };

function checkPricedModel(name: string): string {
  if (name.trim() !== '' && !isPrototypeName(name)) return name;
  throw new Failure('usage', `${JSON.stringify(name)} is not a model`, {
    hint: 'for example: ‹natter config set prices.origin 0.5/1.5›',
  });
}

/** `config set` checks whether the action exists. */
function checkActionName(name: string): string {
  if (/^[a-z-]+$/.test(name) && !isPrototypeName(name)) return name;
  throw new Failure('usage', `${JSON.stringify(name)} is not a key action`, {
    hint: '‹natter config keys› lists them',
  });
}

const keyNames = new Set(['api-key', 'apikey', 'api_key', 'key', 'token']);

/** The names for `config set`; of a family, the form of its names. */
const settingNames: readonly string[] = [
  ...settingKeys.map((key) => definitions[key].name),
  ...settingFamilies.map((family) => family.name),
];

function unknownSetting(name: string): Failure {
  if (keyNames.has(name.toLowerCase())) {
    return new Failure('usage', 'an API key is not a setting', { hint: '‹natter auth login›' });
  }
  return new Failure('usage', `there is no setting ${JSON.stringify(name)}`, {
    hint: `the settings are ${settingNames.join(', ')}`,
  });
}

/** @throws Failure `usage` for an unknown name */
export function parseSettingName(text: string): SettingName {
  const key = settingKeys.find((candidate) => definitions[candidate].name === text);
  if (key !== undefined) return { family: undefined, key };
  const [family = '', ...rest] = text.split('.');
  if (rest.length > 0 && isFamily(family)) {
    return { family, key: checkMember[family](rest.join('.')) };
  }
  throw unknownSetting(text);
}
