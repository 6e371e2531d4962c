// Keys as a person writes them (`alt-m`, `ctrl-x m`, `f4`), in the notation of each shell.

import { Failure } from '../../failure.ts';
import { parseSettingValue } from '../../settings/setting-value.ts';
import { definitions } from '../../settings/definitions.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { Shell } from '../completion/scripts.ts';
import { present, type Context, type GlobalOptions } from '../../run.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { widgetScript } from './widget-scripts.ts';

/** What xterm and most other terminals send for F1 to F12, after ESC. */
const functionKeys = 'OP OQ OR OS [15~ [17~ [18~ [19~ [20~ [21~ [23~ [24~'.split(' ');

interface Notation {
  readonly alt: (key: string) => string;
  readonly ctrl: (key: string) => string;
  readonly functionKey: (number: number) => string;
  readonly separator: string;
}

const codeOf = (number: number) => functionKeys[number - 1] ?? '';

const notations: Readonly<Record<Shell, Notation>> = {
  bash: {
    alt: (key) => String.raw`\e${key}`,
    ctrl: (key) => String.raw`\C-${key}`,
    functionKey: (number) => String.raw`\e${codeOf(number)}`,
    separator: '',
  },
  zsh: {
    alt: (key) => `^[${key}`,
    ctrl: (key) => `^${key.toUpperCase()}`,
    functionKey: (number) => `^[${codeOf(number)}`,
    separator: '',
  },
  fish: {
    alt: (key) => String.raw`\e${key}`,
    ctrl: (key) => String.raw`\c${key}`,
    functionKey: (number) => String.raw`\e${codeOf(number).replace('[', String.raw`\[`)}`,
    separator: '',
  },
  powershell: {
    alt: (key) => `Alt+${key}`,
    ctrl: (key) => `Ctrl+${key}`,
    functionKey: (number) => `F${number}`,
    separator: ',',
  },
};

function translate(key: string, notation: Notation): string {
  if (key.startsWith('alt-')) return notation.alt(key.slice(4));
  if (key.startsWith('ctrl-')) return notation.ctrl(key.slice(5));
  const number = /^f(?<number>\d+)$/.exec(key)?.groups?.['number'];
  return number === undefined ? key : notation.functionKey(Number(number));
}

/** @param key a value of the type `keys` (`settings/value-types.ts`), except `none` */
export function keySequence(key: string, shell: Shell): string {
  const notation = notations[shell];
  return key
    .split(' ')
    .map((one) => translate(one, notation))
    .join(notation.separator);
}

export interface ShellInitOptions extends GlobalOptions {
  readonly key?: string;
  readonly explainKey?: string;
  readonly suggest?: boolean;
  /** The exit status of the last command, unparsed. */
  readonly explain?: string;
}

/** The options that the script passes on. A profile's name has no characters that a shell interprets. */
function serviceWords({ profile, sandbox }: GlobalOptions): string {
  return `${profile === undefined ? '' : ` --profile ${profile}`}${sandbox === true ? ' --sandbox' : ''}`;
}

function sequenceOf(key: string, shell: Shell): string | undefined {
  return key === 'none' ? undefined : keySequence(key, shell);
}

function chosenKey(
  { values }: ResolvedSettings,
  name: 'shellKey' | 'shellExplainKey',
  option: string | undefined,
): string {
  if (option === undefined) return values[name];
  const label = name === 'shellKey' ? '--key' : '--explain-key';
  return parseSettingValue(definitions[name], option, { label, kind: 'usage' });
}

/** Runs `natter shell-init <shell>`: prints the script. @throws Failure */
export async function printScript(
  context: Context,
  options: ShellInitOptions,
  shell: Shell,
): Promise<void> {
  const { notices } = await present(context, options);
  const settings = readSettings(context, notices, options);
  const key = chosenKey(settings, 'shellKey', options.key);
  const explainKey = chosenKey(settings, 'shellExplainKey', options.explainKey);
  if (key === explainKey) {
    const hint = key === 'none' ? 'omit at most one key' : 'choose a different --explain-key';
    throw new Failure('usage', `both keys are ${key}`, { hint });
  }
  const call = `natter shell-init ${shell}${serviceWords(options)}`;
  const script = widgetScript(shell, {
    call,
    key: sequenceOf(key, shell),
    explainKey: sequenceOf(explainKey, shell),
  });
  const summaries = [
    [key, 'the text on the line becomes a command'],
    [explainKey, 'explain the last failure'],
  ].filter(([bound]) => bound !== 'none');
  const summary = summaries.map((row) => row.join(': ')).join('; ');
  const mark = `# natter shell-init for ${shell}`;
  await context.streams.stdout.write(`${mark}: begin\n# ${summary}\n${script}${mark}: end\n`);
}
