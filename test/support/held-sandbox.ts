import { afterAll, onTestFinished, vi } from 'vitest';
import { parseScenario } from '../../src/sandbox/faults/fault-rules.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import type { SandboxOptions } from '../../src/sandbox/exchange.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { serviceAt } from './natter.ts';

/** Advances a sandbox's clock once `waiting` of its answers wait for it. */
export async function passTime(clock: FakeClock, milliseconds: number, waiting = 1): Promise<void> {
  await vi.waitUntil(() => clock.sleeping() >= waiting, { timeout: 60_000, interval: 5 });
  await clock.advance(milliseconds);
}

/** A sandbox for all tests of a file. */
export async function openFileSandbox(options?: SandboxOptions) {
  const sandbox = await startSandbox(options);
  afterAll(() => sandbox.close());
  return sandbox;
}

/** A sandbox whose answers continue only as a test lets time pass; stopped with the test. */
export async function openHeldSandbox(options: SandboxOptions = {}) {
  const clock = createFakeClock();
  const sandbox = await startSandbox({ ...options, clock });
  onTestFinished(() => sandbox.close());
  return {
    env: serviceAt(sandbox, { NATTER_API_KEY: sandboxKey }),
    /** Lets time pass once `waiting` answers, by default one, wait for it. */
    pass: (milliseconds: number, waiting?: number) => passTime(clock, milliseconds, waiting),
    /** From now on time passes without the test. */
    release: () => {
      const passing = setInterval(() => void clock.advance(60_000), 10);
      onTestFinished(() => clearInterval(passing));
    },
  };
}

/** Reads the rules of a scenario. */
export const faultsOf = (rules: readonly object[]) =>
  parseScenario(JSON.stringify({ rules }), 'rules');

/** Starts a sandbox with fault rules; returns the environment of a natter that uses it. */
export async function serviceWith(...rules: readonly object[]) {
  const sandbox = await startSandbox({ faults: faultsOf(rules) });
  onTestFinished(() => sandbox.close());
  return { NATTER_BASE_URL: sandbox.url, NATTER_API_KEY: sandboxKey, NATTER_RETRIES: '0' };
}
