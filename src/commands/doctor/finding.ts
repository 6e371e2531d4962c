import { Failure, type FailureKind } from '../../failure.ts';
import type { Environment } from '../../environment.ts';
import { type GivenAddress, withAddress } from '../program/hint-origin.ts';
import { withHint } from '../program/report.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';

/** The sections of the page, in order. */
export const sections = {
  program: 'Program',
  settings: 'Settings',
  files: 'Files',
  terminal: 'Terminal',
  environment: 'Environment',
  network: 'Network',
  service: 'Service',
  server: 'What the server does',
} as const;

export type Section = keyof typeof sections;

/** `note` is a fact that needs no action. Only a failed check decides the exit code. */
export type Outcome = 'ok' | 'note' | 'warning' | 'failed' | 'skipped';

/** One row of a section of the page. Its texts may contain text from a server or a file. */
export interface SectionFinding {
  /** A stable name for programs, such as `wrong-key`. */
  readonly check: string;
  readonly outcome: Outcome;
  readonly text: string;
  /** What to type or to change. */
  readonly advice?: string;
  /** Of a failed check; decides the exit code. */
  readonly kind?: FailureKind;
}

export interface Finding extends SectionFinding {
  readonly section: Section;
}

/** Takes a finding as soon as it is known. */
export type AddFinding = (finding: Finding) => Promise<void>;

/** Anything but a {@link Failure} is a bug, or the reason of an abort, and is thrown again. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/** What the hint of a failure depends on. */
export interface HintContext {
  readonly environment: Environment;
  readonly address?: GivenAddress | undefined;
}

/** The base URL in force, unless it is from a profile. */
export function addressOf({ values, sources }: ResolvedSettings): GivenAddress | undefined {
  const { kind, name: source } = sources.baseUrl;
  if (values.baseUrl === undefined || kind === 'profile' || kind === 'default') return undefined;
  return { url: values.baseUrl, source };
}

/** The failed check of a failure, with the hint of the command line as its advice. */
export function failedFinding(
  section: Section,
  check: string,
  failure: Failure,
  { environment, address }: HintContext,
  what = '',
): Finding {
  const hinted = withAddress(withHint(failure, environment), address);
  const { message, hint, kind, requestId } = hinted;
  const request = requestId === undefined ? '' : ` (request ${requestId})`;
  return {
    section,
    check,
    outcome: 'failed',
    text: `${what}${message}${request}`,
    kind,
    ...(hint !== undefined && { advice: hint }),
  };
}
