import { Failure } from '../../failure.ts';
import { checkParameterName } from '../../settings/setting-name.ts';
import { parseParameterValue } from '../../settings/setting-value.ts';

const commands: ReadonlyMap<string, string> = new Map([
  ['model', '/model NAME sets it'],
  ['max_tokens', '/max-tokens NUMBER sets it'],
  ['stream', 'restart natter with --no-stream'],
]);

/** @throws Failure `usage`, with the command that sets a field of natter's own */
function checkName(name: string): string {
  const hint = commands.get(name);
  if (hint === undefined) return checkParameterName(name, 'usage');
  throw new Failure('usage', `the parameter ${name} is set by natter itself`, { hint });
}

/** Reads `name=value`, also with blanks around the sign. @throws Failure `usage` */
export function parseSessionParameter(text: string): readonly [name: string, value: unknown] {
  const [, name, value] = /^([^=\s]+)\s*=\s*(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new Failure('usage', '/param needs a name and a value', { hint: '/param top_p=0.9' });
  }
  const label = `the value of ${checkName(name)}`;
  const hint = `/param ${name}="two words"`;
  return [name, parseParameterValue(value, { label, kind: 'usage', hint })];
}
