import { arch, version as nodeVersion } from 'node:process';
import { exitCodes, Failure } from '../../failure.ts';
import { createActivity } from '../../output/activity.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { maskValue } from '../../secrecy/mask.ts';
import { namedProfile } from '../../settings/profile-name.ts';
import { present, type Presentation } from '../print/presentation.ts';
import { printJson } from '../print/print-data.ts';
import type { Context } from '../program/context.ts';
import type { JsonOptions } from '../program/global-options.ts';
import { nameProfile } from '../program/hint-origin.ts';
import { cleanLine } from '../program/mask-secrets.ts';
import { chooseRecording } from '../service/recording-choice.ts';
import { checkEnvironment } from './check-environment.ts';
import { checkFiles } from './check-files.ts';
import { checkSettings } from './check-settings.ts';
import { checkTerminal } from './check-terminal.ts';
import type { ServerFacts } from './check-server.ts';
import type { AddFinding, Finding } from './finding.ts';
import { createNameFilter } from './personal-names.ts';
import { createPage, summaryOf } from './report.ts';

export interface DoctorOptions extends JsonOptions {
  readonly offline?: boolean;
}

/** Removes secrets, names of users, and control characters; commands of the advice name the profile in use. */
function createCleaner(context: Context, { profile: flag }: DoctorOptions) {
  const profile = namedProfile(flag, context.environment);
  const withoutNames = createNameFilter(context);
  const clean = (text: string) => cleanLine(context, withoutNames(text));
  return (finding: Finding): Finding => ({
    ...finding,
    text: clean(finding.text),
    ...(finding.advice !== undefined && { advice: clean(nameProfile(finding.advice, profile)) }),
  });
}

interface Run {
  readonly context: Context;
  readonly options: DoctorOptions;
  readonly presentation: Presentation;
  readonly add: AddFinding;
  readonly wait: <Value>(run: () => Promise<Value>) => Promise<Value>;
}

/** Shows on a terminal that a request is running. */
function createWait(
  { streams, clock }: Context,
  options: DoctorOptions,
  { noticeStyle: style, animated }: Presentation,
): Run['wait'] {
  const quiet = options.quiet === true;
  const activity = createActivity({ stderr: streams.stderr, style, clock, quiet, animated });
  return async (run) => {
    activity.waiting('the service');
    try {
      return await run();
    } finally {
      activity.settle();
    }
  };
}

async function checkProgram({ context, add }: Run): Promise<void> {
  const text = `natter ${context.version}, Node ${nodeVersion.slice(1)}, ${context.platform} ${arch}`;
  await add({ section: 'program', check: 'version', outcome: 'ok', text });
}

/** @returns undefined if no service was reached */
async function checkOnline(run: Run, settings: ResolvedSettings): Promise<ServerFacts | undefined> {
  const { examineService } = await import('./examine-service.ts');
  return examineService(run, settings);
}

const cost = 'sending up to 3 prompts for answers of up to 16 tokens each; --offline sends nothing';

async function checkAll(run: Run): Promise<ServerFacts | undefined> {
  const { context, options, presentation, add } = run;
  await checkProgram(run);
  const settings = await checkSettings(context, options, add);
  await checkFiles(context, settings, add);
  await checkTerminal(context, options, presentation, add);
  await checkEnvironment(context, add);
  const isConfigured = options.sandbox === true || settings?.values.baseUrl !== undefined;
  const { replay } = chooseRecording(options, context.environment);
  if (options.offline === true || replay !== undefined) {
    const reason = replay === undefined ? '--offline' : 'answers are from a recording';
    const text = `the service was not checked: ${reason}`;
    await add({ section: 'network', check: 'offline', outcome: 'skipped', text });
    return undefined;
  }
  if (settings === undefined || !isConfigured) return undefined;
  presentation.notices.notice(cost);
  return checkOnline(run, settings);
}

/** The failure of the first failed check, whose cause decides the exit code. */
function failureOf(findings: readonly Finding[]): Failure | undefined {
  const failed = findings.filter(({ outcome }) => outcome === 'failed');
  const [first] = failed;
  if (first === undefined) return undefined;
  const others = failed.length === 1 ? '' : ` (and ${failed.length - 1} more)`;
  return new Failure(
    first.kind ?? 'unexpected',
    `a check failed${others}: ${first.text}`,
    first.advice === undefined ? {} : { hint: first.advice },
  );
}

/**
 * Runs `natter doctor`: prints each finding as soon as it is known, or one JSON document at the end.
 * @throws Failure of the first failed check; or the reason of an abort
 */
export async function examine(context: Context, options: DoctorOptions): Promise<void> {
  const presentation = await present(context, options);
  const { stdout } = context.streams;
  const { style } = presentation;
  const width = stdout.isTerminal ? stdout.columns() : undefined;
  const page = createPage({ style, width });
  const clean = createCleaner(context, options);
  const findings: Finding[] = [];
  const add: AddFinding = async (found) => {
    const finding = clean(found);
    findings.push(finding);
    if (options.json !== true) await stdout.write(page(finding));
  };
  const wait = createWait(context, options, presentation);
  const facts = await checkAll({ context, options, presentation, add, wait });
  const failure = failureOf(findings);
  if (options.json === true) {
    await printJson(context, {
      natter: context.version,
      node: nodeVersion.slice(1),
      platform: `${context.platform} ${arch}`,
      exit_code: failure === undefined ? 0 : exitCodes[failure.kind],
      checks: findings,
      server: facts === undefined ? null : maskValue(facts, (text) => cleanLine(context, text)),
    });
  } else await stdout.write(`\n${summaryOf(findings)}\n`);
  if (failure !== undefined) throw failure;
}
