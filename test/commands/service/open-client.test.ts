import { expect, test } from 'vitest';
import type { OpenNetwork } from '../../../src/client/http/network.ts';
import { createSecrets } from '../../../src/commands/program/secrets.ts';
import { openClient } from '../../../src/commands/service/service.ts';
import type { ResolvedSettings } from '../../../src/settings/resolved-settings.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

test.each([true, false])(
  'an early connection begins before the client is used: %s',
  async (connectEarly) => {
    const calls: string[] = [];
    const network: OpenNetwork = () => ({
      send: () => Promise.reject(new Error('not sent')),
      // As Node connects to an address.
      connectEarly: () => process.nextTick(() => calls.push('connected')),
      close: () => undefined,
    });
    const context = {
      version: '0',
      environment: {},
      clock: createFakeClock(),
      random: () => 0,
      secrets: createSecrets({}),
    };
    const settings = { values: {}, headers: {} } as unknown as ResolvedSettings;
    const target = { baseUrl: 'http://127.0.0.1:1', apiKey: undefined };
    await openClient(context, () => undefined, settings, target, { network, connectEarly });
    calls.push('opened');
    expect(calls).toEqual(connectEarly ? ['connected', 'opened'] : ['opened']);
  },
);
