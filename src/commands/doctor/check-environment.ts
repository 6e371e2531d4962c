import { readFileSync } from 'node:fs';
import { isSet, type Environment } from '../../environment.ts';
import { nearlyNamed } from '../../near-name.ts';
import { definitions, settingKeys } from '../../settings/definitions.ts';
import { environmentVariables } from '../../settings/environment-variables.ts';
import { failureReason } from '../../storage/storage-failure.ts';
import type { Context } from '../program/context.ts';
import type { AddFinding, Finding } from './finding.ts';

type VariableFinding = Omit<Finding, 'section' | 'check'>;

/** Variables of Node, of the system and of terminals that change what natter does. */
const otherVariables = [
  'NODE_OPTIONS',
  'NODE_USE_ENV_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'COLORTERM',
  'TERM_PROGRAM',
  'TMUX',
  'SSH_CONNECTION',
  'CI',
];

const privateSettings: ReadonlySet<string> = new Set(['baseUrl', 'apiKeyCommand', 'system']);

/** Variables without secrets, addresses and names of users. */
const shownVariables: ReadonlySet<string> = new Set([
  ...settingKeys.filter((key) => !privateSettings.has(key)).map((key) => definitions[key].variable),
  'NATTER_PROFILE',
  'NATTER_REPLAY_SPEED',
  'NATTER_ACCESSIBLE',
  'NATTER_NO_SYNC',
  'NO_COLOR',
  'FORCE_COLOR',
  'CLICOLOR_FORCE',
  'TERM',
  'COLORTERM',
  'TERM_PROGRAM',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'NODE_DISABLE_COMPILE_CACHE',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_USE_ENV_PROXY',
  'CI',
]);

/** A longer value may be a misplaced key. */
const shortValue = /^[\w.:+-]{1,24}$/;

function unverified(environment: Environment): VariableFinding | undefined {
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return undefined;
  return {
    outcome: 'warning',
    text: 'NODE_TLS_REJECT_UNAUTHORIZED is 0: certificates are not verified',
    advice: 'unset it, and set NODE_EXTRA_CA_CERTS to the certificate file of your authority',
  };
}

/** Node ignores a file of certificates that it cannot read. */
function certificateFile(path: string): VariableFinding | undefined {
  const name = 'NODE_EXTRA_CA_CERTS';
  const advice = `correct ${name}: the path of a PEM file`;
  try {
    if (readFileSync(path, 'latin1').includes('-----BEGIN CERTIFICATE-----')) return undefined;
    const text = `${name}: ${path} has no certificate in PEM form`;
    return { outcome: 'warning', text, advice };
  } catch (error) {
    const text = `${name}: cannot read ${path}: ${failureReason(error)}`;
    return { outcome: 'warning', text, advice };
  }
}

function replayed(environment: Environment): VariableFinding | undefined {
  if (!isSet(environment, 'NATTER_REPLAY')) return undefined;
  return {
    outcome: 'warning',
    text: 'NATTER_REPLAY is set: answers are from a recording, not from a service',
    advice: 'unset NATTER_REPLAY',
  };
}

/** What is wrong with a variable, by its name. */
const problems: Readonly<
  Record<string, (environment: Environment) => VariableFinding | undefined>
> = {
  NODE_TLS_REJECT_UNAUTHORIZED: unverified,
  NODE_EXTRA_CA_CERTS: (environment) => certificateFile(environment['NODE_EXTRA_CA_CERTS'] ?? ''),
  NATTER_REPLAY: replayed,
};

function describe(name: string, environment: Environment): VariableFinding {
  const value = environment[name] ?? '';
  const isShown = shownVariables.has(name) && shortValue.test(value);
  return { outcome: 'note', text: isShown ? `${name}=${value}` : `${name} is set` };
}

const known = environmentVariables.map(({ name }) => name);

/** Variables that look like natter's and are not: `NATTER_MODLE`. */
function unknownVariables(environment: Environment): readonly VariableFinding[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('NATTER_') && !known.includes(name))
    .map((name) => {
      const near = nearlyNamed(
        name.toLowerCase(),
        known.map((one) => one.toLowerCase()),
      );
      const meant = near === undefined ? '' : `did you mean ${near.toUpperCase()}? `;
      return {
        outcome: 'warning',
        text: `natter reads no variable ${name}`,
        advice: `${meant}natter help environment lists the variables`,
      };
    });
}

/** The set variables that change what natter does, and what is wrong with them; values only of harmless ones. */
function variableFindings(environment: Environment): readonly VariableFinding[] {
  const proxies = ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'];
  const names = [...known, ...proxies, ...otherVariables].filter((name) =>
    isSet(environment, name),
  );
  const found = [...new Set(names)].map(
    (name) => problems[name]?.(environment) ?? describe(name, environment),
  );
  return [...found, ...unknownVariables(environment)];
}

/** Lists the environment variables that matter. */
export async function checkEnvironment({ environment }: Context, add: AddFinding): Promise<void> {
  const found = variableFindings(environment);
  for (const finding of found) {
    await add({ section: 'environment', check: 'variable', ...finding });
  }
  if (found.length > 0) return;
  const text = 'no variable changes what natter does';
  await add({ section: 'environment', check: 'variable', outcome: 'ok', text });
}
