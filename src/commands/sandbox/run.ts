import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Failure } from '../../failure.ts';
import { faultFromOptions } from '../../sandbox/faults/parse-fault.ts';
import { type FaultRule, parseScenario } from '../../sandbox/faults/fault-rules.ts';
import { parseRateLimit, sandboxKey } from '../../sandbox/keys.ts';
import { startSandbox } from '../../sandbox/server.ts';
import { failureReason } from '../../storage/storage-failure.ts';
import { present, type Context } from '../../run.ts';
import { type UpstreamOptions, openUpstream } from './upstream.ts';

/** Options of `natter sandbox`. Fault options are further fields, with camel-case names. */
export interface SandboxOptions extends UpstreamOptions {
  readonly host: string;
  readonly log?: boolean;
  readonly lenient?: boolean;
  readonly scenario?: string;
  readonly rateLimit?: string;
  readonly [faultField: string]: unknown;
}

function parsePort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new Failure('usage', `"${text}" is not a port`, { hint: 'use a number from 0 to 65535' });
}

async function readScenario(path: string): Promise<readonly FaultRule[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    const reason = failureReason(cause);
    throw new Failure('usage', `cannot read the scenario ${path}: ${reason}`, { cause });
  });
  return parseScenario(text, path);
}

async function faultRules(options: SandboxOptions): Promise<readonly FaultRule[]> {
  const scenario = options.scenario === undefined ? [] : await readScenario(options.scenario);
  const fault = faultFromOptions(options);
  const isFaulty = Object.keys(fault).length > 0;
  return isFaulty ? [...scenario, { label: 'command line', when: {}, fault }] : scenario;
}

/** @throws Failure, or the reason `context.signal` was aborted with */
export async function serveSandbox(context: Context, options: SandboxOptions): Promise<void> {
  const presentation = await present(context, options);
  const { stdout, stderr } = context.streams;
  const logs = options.log === true;
  const port = parsePort(options.port);
  const faults = await faultRules(options);
  const rateLimit = options.rateLimit === undefined ? undefined : parseRateLimit(options.rateLimit);
  const isGateway = (options.upstream ?? options.upstreamProfile ?? options.map) !== undefined;
  const upstream = isGateway ? await openUpstream(context, presentation, options) : undefined;
  try {
    const sandbox = await startSandbox({
      host: options.host,
      port,
      clock: context.clock,
      faults,
      lenient: options.lenient === true,
      ...(rateLimit === undefined ? {} : { rateLimit }),
      ...(upstream === undefined ? {} : { engine: upstream.engine }),
      ...(logs ? { log: (line) => void stdout.write(`${line}\n`) } : {}),
    });
    // With --log, standard output has JSON lines only.
    if (logs) await stderr.write(`natter: listening on ${sandbox.url}\n`);
    else await stdout.write(`${sandbox.url}\n`);
    // Not a notice: it would mask the sandbox's key if that is the configured key.
    const example = `NATTER_BASE_URL=${sandbox.url} NATTER_API_KEY=${sandboxKey} natter "hi"`;
    const other = `natter: base URL of other programs: ${sandbox.url}/v1, key: ${sandboxKey}`;
    if (options.quiet !== true) await stderr.write(`natter: try it: ${example}\n${other}\n`);
    if (!context.signal.aborted) await once(context.signal, 'abort');
    await sandbox.close();
  } finally {
    upstream?.close();
  }
  context.signal.throwIfAborted();
}
