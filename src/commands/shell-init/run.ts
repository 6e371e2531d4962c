import { Failure } from '../../failure.ts';
import { parseSettingValue } from '../../settings/setting-value.ts';
import { definitions } from '../../settings/definitions.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { Shell } from '../completion/scripts.ts';
import { present } from '../print/presentation.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { readSettings } from '../service/settings-access.ts';
import { keySequence } from './key-sequence.ts';
import { widgetScript } from './widget-scripts.ts';

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
