import { Failure, type FailureKind } from '../failure.ts';
import { isPrototypeName, type JsonObject } from '../json.ts';
import {
  anyText,
  type Definition,
  definitions,
  type Family,
  familyNames,
  headerText,
  settingKeys,
  storedValue,
  type ValueType,
} from './definitions.ts';
import { modelPrice } from './prices.ts';
import {
  parseParameterValue,
  parseValue,
  profileOrigin,
  type ValueOrigin,
} from './setting-value.ts';

/**
 * Makes the check of the names in a family of settings, which returns the name.
 * @param reserved names that natter sets itself, with hints
 * @throws Failure of the kind; `where` completes its message: ` in profile work`
 */
function nameCheck(
  what: string,
  pattern: RegExp,
  { problem = `is not a valid ${what} name`, hint = '', reserved = {} } = {},
) {
  const hints = new Map(Object.entries<string>(reserved));
  return (name: string, kind: FailureKind, where = ''): string => {
    if (hints.has(name)) {
      const text = `the ${what} ${name}${where} is set by natter itself`;
      throw new Failure(kind, text, { hint: hints.get(name) || undefined });
    }
    if (pattern.test(name) && !isPrototypeName(name)) return name;
    const advice = [kind === 'configuration' ? 'correct the file by hand' : '', hint];
    throw new Failure(kind, `${JSON.stringify(name)} ${problem}${where}`, {
      hint: advice.filter((text) => text !== '').join('; ') || undefined,
    });
  };
}

export const checkParameterName = nameCheck('parameter', /./s, {
  reserved: {
    model: 'use --model, or ‹natter config set model›',
    max_tokens: 'use --max-tokens, or ‹natter config set max-tokens›',
    messages: 'natter builds them from the system prompt, the conversation and the prompt',
    stream: 'use --no-stream',
  },
});

// RFC 9110, 5.6.2: token.
const checkHeader = nameCheck('header', /^[\w!#$%&'*+.^`|~-]+$/, {
  reserved: {
    authorization: 'it carries the API key, which is not a setting: ‹natter auth login›',
    connection: '',
    'content-length': '',
    'content-type': '',
    host: '',
    'transfer-encoding': '',
  },
});

/** The parts of an answer whose colour is a setting, `colors.<part>`. */
export const coloredParts = [
  { name: 'heading', summary: 'headings' },
  { name: 'code', summary: 'code within text' },
  { name: 'link', summary: 'labels of links' },
  { name: 'quote', summary: 'bars of quotations' },
  { name: 'rule', summary: 'rules, also those of code blocks' },
  { name: 'keyword', summary: 'keywords in code blocks' },
  { name: 'string', summary: 'strings in code blocks' },
  { name: 'comment', summary: 'comments in code blocks' },
] as const;

const hues = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** The 16 colours of terminals, and `default`, that of the terminal's text. */
export const colorNames = ['default', ...hues, ...hues.map((hue) => `bright-${hue}`)];

/** A colour with attributes, in one spelling: `#5fafd7 bold`. */
export const ownColor: ValueType<string> = {
  name: 'colour',
  expected:
    'a colour such as red, bright-blue, #5fafd7 or default, with bold, italic or underline if wanted, as in "red bold"',
  parse(text) {
    const words = text.trim().toLowerCase().split(/\s+/);
    const colors = words.filter((word) => colorNames.includes(word) || /^#[\da-f]{6}$/.test(word));
    const attributes = ['bold', 'italic', 'underline'].filter((one) => words.includes(one));
    const isKnown = colors.length <= 1 && colors.length + attributes.length === words.length;
    return isKnown ? [colors[0] ?? 'default', ...attributes].join(' ') : undefined;
  },
};

const partNames = coloredParts.map(({ name }) => name);

/** Makes what reads a value as typed, and returns what to store. It throws a Failure with the origin. */
const storing =
  <Value>(type: ValueType<Value>) =>
  (text: string, origin: ValueOrigin): unknown =>
    storedValue(type, parseValue(type, text, origin));

/** What help says of the members of a family, the check of their names, and what stores a value. */
export const families = {
  params: {
    form: 'params.<name>',
    type: 'JSON',
    summary: 'Extra field of the request body; the flag is --param name=json',
    check: checkParameterName,
    store: parseParameterValue,
  },
  headers: {
    form: 'headers.<name>',
    type: headerText.name,
    summary: 'Extra header of every request',
    check: ((name, ...how) => checkHeader(name.toLowerCase(), ...how)) satisfies typeof checkHeader,
    store: storing(headerText),
  },
  prices: {
    form: 'prices.<model>',
    type: modelPrice.name,
    summary: 'Prices of a million tokens of prompts and answers, such as 0.5/1.5 or 0.5/1.5 EUR',
    check: nameCheck('price', /\S/, {
      problem: 'is not a model',
      hint: 'for example: ‹natter config set prices.origin 0.5/1.5›',
    }),
    store: storing(modelPrice),
  },
  keys: {
    form: 'keys.<action>',
    type: 'keys',
    summary: 'Keys of an action in conversations, such as ctrl+x or none (natter config keys)',
    // `config set` checks whether the action exists.
    check: nameCheck('key', /^[a-z-]+$/, {
      problem: 'is not a key action',
      hint: '‹natter config keys› lists them',
    }),
    store: storing(anyText),
  },
  colors: {
    form: 'colors.<part>',
    type: ownColor.name,
    summary: `Colour of a part of answers, such as red, bright-blue, "#5fafd7 bold" or default; the parts are ${partNames.join(', ')}`,
    check: nameCheck('colour', new RegExp(`^(?:${partNames.join('|')})$`), {
      problem: 'is not a part of an answer with a colour',
      hint: `the parts are ${partNames.join(', ')}`,
    }),
    store: storing(ownColor),
  },
} satisfies Readonly<Record<Family, object>>;

/** Reads the members of a family in a profile. @throws Failure `configuration` for a bad name or value */
export const readFamily = <Value>(
  family: Family,
  members: JsonObject | undefined,
  profile: string,
  type: ValueType<Value>,
) =>
  Object.entries(members ?? {}).map(([member, raw]) => {
    const name = families[family].check(member, 'configuration', ` in profile ${profile}`);
    return [name, parseValue(type, raw, profileOrigin(`${family}.${name}`, profile))] as const;
  });

const keyNames = new Set(['api-key', 'apikey', 'api_key', 'key', 'token']);

function unknownSetting(name: string): Failure {
  if (keyNames.has(name.toLowerCase())) {
    return new Failure('usage', 'an API key is not a setting', { hint: '‹natter auth login›' });
  }
  const names = settingKeys.map((key) => definitions[key].name);
  const forms = familyNames.map((family) => families[family].form);
  return new Failure('usage', `there is no setting ${JSON.stringify(name)}`, {
    hint: `the settings are ${[...names, ...forms].join(', ')}`,
  });
}

/**
 * Reads a name of `config set`.
 * @returns where it is in a profile: its name, or its family and its name in that; and what reads a value as typed
 * @throws Failure `usage` for an unknown name
 */
export function parseSettingName(text: string) {
  const key = settingKeys.find((candidate) => definitions[candidate].name === text);
  if (key !== undefined) {
    return {
      path: [text] as const,
      store: storing((definitions[key] as Definition<unknown>).type),
    };
  }
  const [start, ...rest] = text.split('.');
  const family = familyNames.find((name) => name === start);
  if (rest.length === 0 || family === undefined) throw unknownSetting(text);
  const { check, store } = families[family];
  return { path: [family, check(rest.join('.'), 'usage')] as const, store };
}
