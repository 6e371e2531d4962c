import { countOf } from '../../output/figures.ts';
import type { Style } from '../../terminal/style.ts';
import { padToWidth } from '../../terminal/text/width.ts';
import { wrapText } from '../../terminal/text/wrap.ts';
import { sections, type Finding, type Outcome, type Section } from './finding.ts';

/** Words, because a page in a bug report has no colours, and some fonts have no check marks. */
const labels: Readonly<Record<Outcome, string>> = {
  ok: 'ok',
  note: 'note',
  warning: 'warn',
  failed: 'FAIL',
  skipped: 'skip',
};

const looks: Readonly<Record<Outcome, 'green' | 'dim' | 'yellow' | 'red'>> = {
  ok: 'green',
  note: 'dim',
  warning: 'yellow',
  failed: 'red',
  skipped: 'dim',
};

const labelWidth = 4;
const indent = ' '.repeat(labelWidth + 4);

export interface PageLayout {
  readonly style: Style;
  /** Columns; undefined does not wrap, for a pipe. */
  readonly width: number | undefined;
}

function rowsOf(text: string, width: number | undefined): readonly string[] {
  return width === undefined ? [text] : wrapText(text, Math.max(width - indent.length, 10));
}

function formatFinding({ outcome, text, advice }: Finding, { style, width }: PageLayout): string {
  const label = style[looks[outcome]](padToWidth(labels[outcome], labelWidth));
  const [first = '', ...rest] = rowsOf(text, width);
  const advised = advice === undefined ? [] : rowsOf(`> ${advice}`, width);
  const lines = [`  ${label}  ${first}`, ...[...rest, ...advised].map((row) => indent + row)];
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** Formats findings one by one; the first of a section follows its heading. */
export function createPage(layout: PageLayout): (finding: Finding) => string {
  let current: Section | undefined;
  return (finding) => {
    const { section } = finding;
    const gap = current === undefined ? '' : '\n';
    const heading = section === current ? '' : `${gap}${layout.style.bold(sections[section])}\n`;
    current = section;
    return heading + formatFinding(finding, layout);
  };
}

/** The last line: `19 checks: 16 ok, 2 warnings, 1 failed`. Notes and skipped checks are not counted. */
export function summaryOf(findings: readonly Finding[]): string {
  const count = (outcome: Outcome) => findings.filter((one) => one.outcome === outcome).length;
  const [ok, warnings, failed] = [count('ok'), count('warning'), count('failed')];
  const parts = [
    `${ok} ok`,
    ...(warnings === 0 ? [] : [countOf(warnings, 'warning')]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ];
  return `${countOf(ok + warnings + failed, 'check')}: ${parts.join(', ')}`;
}
