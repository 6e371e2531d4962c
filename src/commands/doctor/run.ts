import { arch, version as nodeVersion } from 'node:process';
import { exitCodes, Failure, withCommands } from '../../failure.ts';
import { createActivity } from '../../output/activity.ts';
import { countOf } from '../../output/figures.ts';
import { silentNotices } from '../../output/notices.ts';
import { namedProfile } from '../../settings/profiles.ts';
import type { Style } from '../../terminal/style.ts';
import { padToWidth } from '../../terminal/text/width.ts';
import { hangText } from '../../terminal/text/rows.ts';
import type { Action, Context } from '../../run.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import { printJson } from '../../output/print-data.ts';
import { nameProfile } from '../../cli/report.ts';
import { chooseRecording } from '../../ask/recording-choice.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { checkConnection, checkService } from './check-service.ts';
import { checkFiles, checkSettings } from './check-machine.ts';
import {
  asFailure,
  failed,
  ok,
  skipped,
  type DoctorOptions,
  type Examination,
  type Finding,
} from './finding.ts';

/** `/home/alice`, `/Users/alice`, `C:\Users\alice` of any user. */
const homes = /((?:^|[^\w.~-])(?:\/home|\/Users|[a-z]:[\\/]Users)[\\/])[^\\/\s:"']+/gi;

/** Replaces the home folder by `~`, and names of users in paths by `…`, so that the page can be published. */
export function withoutNames(text: string, { environment, homeDirectory = '' }: Context): string {
  const home = homeDirectory.replace(/[\\/]+$/, '');
  const escaped = home.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  const short = home === '' ? text : text.replaceAll(new RegExp(`${escaped}(?![\\w.-])`, 'g'), '~');
  // A shorter name, such as `me`, is an ordinary word of paths.
  const names = new Set(
    ['USER', 'LOGNAME', 'USERNAME']
      .map((variable) => (environment[variable] ?? '').toLowerCase())
      .filter((name) => name.length >= 3 && name !== 'root'),
  );
  return short
    .replaceAll(homes, '$1…')
    .replaceAll(/(?<=[\\/])[\w.-]+/g, (part) => (names.has(part.toLowerCase()) ? '…' : part));
}

/** Removes secrets, names of users, and control characters; commands of the advice name the profile in use. */
function cleaned(finding: Finding, { context, options }: Examination): Finding {
  const profile = namedProfile(options.profile, context.environment);
  const clean = (part: string) => cleanLine(context, withoutNames(part, context));
  const { advice } = finding;
  const named = advice === undefined ? undefined : withCommands(nameProfile(advice, profile));
  return { ...finding, text: clean(finding.text), advice: named && clean(named) };
}

/** Words, because a page in a bug report has no colours, and some fonts have no check marks. */
const labels = {
  ok: ['ok', 'green'],
  note: ['note', 'dim'],
  warning: ['warn', 'yellow'],
  failed: ['FAIL', 'red'],
  skipped: ['skip', 'dim'],
} as const;

const labelWidth = 4;
const indent = ' '.repeat(labelWidth + 4);

/** @param columns infinite for a pipe, where no row breaks */
function formatFinding({ outcome, text, advice }: Finding, style: Style, columns: number): string {
  const [word, look] = labels[outcome];
  const label = style[look](padToWidth(word, labelWidth));
  const advised =
    advice === undefined ? '' : `${indent}${hangText(`> ${advice}`, columns, indent)}\n`;
  return `  ${label}  ${hangText(text, columns, indent)}\n${advised}`;
}

/** Short enough for a check; an option of the command line overrides them. */
const shortLimits = {
  retries: '0',
  connectTimeout: '5s',
  firstByteTimeout: '30s',
  idleTimeout: '15s',
  timeout: '60s',
};

const titles = {
  program: 'Program',
  settings: 'Settings',
  files: 'Files',
  connection: 'Connection',
  service: 'Service',
} as const;

type Section = keyof typeof titles;

/** The findings, after the name of their section. */
type Page = AsyncGenerator<Finding | Section>;

async function* checkOnline(examination: Examination): Page {
  const { context, options, presentation } = examination;
  const limited = { ...shortLimits, ...options };
  const settings = readSettings(context, silentNotices, limited, { model: options.model });
  try {
    yield 'connection';
    const isReachable = options.sandbox === true || (yield* checkConnection(examination, settings));
    yield 'service';
    if (!isReachable) return yield skipped('rest', 'no request was sent');
    presentation.notices.notice(
      'sending one prompt for an answer of at most 16 tokens, or a few if the service refuses it; --offline sends nothing',
    );
    yield* checkService(examination, settings);
  } catch (error) {
    context.signal.throwIfAborted();
    yield 'service';
    yield failed('service', asFailure(error), examination);
  }
}

async function* checkAll(examination: Examination): Page {
  const { context, options } = examination;
  const { environment, platform, version } = context;
  yield 'program';
  yield ok('version', `natter ${version}, Node ${nodeVersion.slice(1)}, ${platform} ${arch}`);
  yield 'settings';
  const settings = yield* checkSettings(examination);
  yield 'files';
  yield* checkFiles(examination, settings);
  const isReplayed = chooseRecording(options, environment).replay !== undefined;
  if (options.offline === true || isReplayed) {
    const reason = isReplayed ? 'answers are from a recording' : '--offline';
    yield 'connection';
    yield skipped('offline', `the service was not checked: ${reason}`);
  } else if (settings !== undefined && (options.sandbox === true || settings.values.baseUrl)) {
    yield* checkOnline(examination);
  }
}

/**
 * Runs `natter doctor`: prints each finding as soon as it is known, or one JSON document at the end.
 * @throws Failure of the first failed check; or the reason of an abort
 */
export const examine: Action<DoctorOptions> = async (examination) => {
  const { context, options, presentation } = examination;
  const { stdout } = context.streams;
  const { style } = presentation;
  const columns = stdout.isTerminal ? stdout.columns() : Number.POSITIVE_INFINITY;
  const activity = createActivity(examination);
  const findings: (Finding & { readonly section: Section })[] = [];
  let section: Section = 'program';
  try {
    for await (const found of checkAll(examination)) {
      if (typeof found === 'string') {
        section = found;
        continue;
      }
      activity.settle();
      const finding = cleaned(found, examination);
      const before = findings.at(-1)?.section;
      findings.push({ section, ...finding });
      if (options.json !== true) {
        const gap = before === undefined ? '' : '\n';
        const heading = section === before ? '' : `${gap}${style.bold(titles[section])}\n`;
        await stdout.write(heading + formatFinding(finding, style, columns));
      }
      activity.waiting('the service');
    }
  } finally {
    activity.settle();
  }
  const [first, ...others] = findings.filter(({ outcome }) => outcome === 'failed');
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const problem = `a check failed${more}: ${first?.text}`;
  const failure = first && new Failure(first.kind ?? 'unexpected', problem, { hint: first.advice });
  if (options.json === true) {
    await printJson(context, {
      natter: context.version,
      node: nodeVersion.slice(1),
      platform: `${context.platform} ${arch}`,
      exit_code: failure === undefined ? 0 : exitCodes[failure.kind],
      checks: findings,
    });
  } else {
    const [passed = 0, warnings = 0, failures = 0] = ['ok', 'warning', 'failed'].map(
      (outcome) => findings.filter((one) => one.outcome === outcome).length,
    );
    const parts = [`${passed} ok`, countOf(warnings, 'warning'), `${failures} failed`];
    const counted = parts.filter((part) => !part.startsWith('0 '));
    // Notes and skipped checks are not counted.
    const checks = countOf(passed + warnings + failures, 'check');
    await stdout.write(`\n${checks}: ${counted.join(', ')}\n`);
  }
  if (failure !== undefined) throw failure;
};
