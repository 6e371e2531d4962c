import { hasColor } from '../../terminal/style.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import type { Presentation } from '../print/presentation.ts';
import type { AddFinding, SectionFinding } from './finding.ts';

const narrow = 40;

function sizeFinding({ streams: { stdout } }: Context): SectionFinding {
  const check = 'size';
  if (!stdout.hasSize()) {
    const text = 'the terminal reports no size; natter assumes 80 columns and 24 rows';
    return { check, outcome: 'warning', text, advice: 'stty cols 80 rows 24' };
  }
  const columns = stdout.columns();
  const text = `${columns} columns and ${stdout.rows()} rows`;
  if (columns >= narrow) return { check, outcome: 'ok', text };
  const advice = 'widen the window: comparisons and tables need 40 columns';
  return { check, outcome: 'warning', text, advice };
}

function colorFinding({ streams, environment }: Context, options: GlobalOptions): SectionFinding {
  const { isTerminal } = streams.stdout;
  const check = 'colour';
  if (hasColor({ isTerminal, environment, option: options.color })) {
    return { check, outcome: 'ok', text: 'colour is on' };
  }
  const reasons: readonly (readonly [boolean, string])[] = [
    [options.color === 'never', '--color never'],
    [Boolean(environment['NO_COLOR']), 'NO_COLOR is set'],
    [environment['TERM'] === 'dumb', 'TERM is dumb'],
    [!isTerminal, 'standard output is not a terminal'],
  ];
  const reason = reasons.find(([applies]) => applies)?.[1] ?? 'unknown reason';
  return { check, outcome: 'note', text: `colour is off: ${reason}` };
}

function unicodeFinding(isUnicode: boolean, { environment }: Context): SectionFinding {
  if (environment['TERM'] === 'linux') {
    const text = 'the Linux console has few characters, so tables and frames are drawn in ASCII';
    return { check: 'unicode', outcome: 'note', text };
  }
  if (isUnicode) return { check: 'unicode', outcome: 'ok', text: 'the locale is UTF-8' };
  return {
    check: 'unicode',
    outcome: 'warning',
    text: 'the locale is not UTF-8, so tables and frames are drawn in ASCII',
    advice: 'set LANG, for example to C.UTF-8',
  };
}

/** Checks what the terminal can show. */
export async function checkTerminal(
  context: Context,
  options: GlobalOptions,
  { unicode }: Presentation,
  add: AddFinding,
): Promise<void> {
  const addFinding = (finding: SectionFinding) => add({ section: 'terminal', ...finding });
  const { stdin, stdout, stderr } = context.streams;
  const names = { input: stdin, output: stdout, errors: stderr };
  const redirected = Object.entries(names)
    .filter(([, { isTerminal }]) => !isTerminal)
    .map(([name]) => name);
  const text =
    redirected.length === 0
      ? 'standard input, output and errors are a terminal'
      : `not a terminal: standard ${redirected.join(', ')}`;
  await addFinding({ check: 'streams', outcome: redirected.length === 0 ? 'ok' : 'note', text });
  if (stdout.isTerminal) await addFinding(sizeFinding(context));
  await addFinding(colorFinding(context, options));
  await addFinding(unicodeFinding(unicode, context));
}
