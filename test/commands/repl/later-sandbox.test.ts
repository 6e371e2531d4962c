import { expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { ChatEvent } from '../../../src/client/events.ts';
import { laterSandbox } from '../../../src/commands/repl/later-sandbox.ts';
import type { Service } from '../../../src/commands/service/service.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const prompt = { model: 'origin', messages: [] };

function openSandbox(failures = 0) {
  const calls: string[] = [];
  let left = failures;
  const source = { command: 'repl' };
  const facts = { windows: () => new Map<string, number>(), clock: createFakeClock(), source };
  const client: Client = {
    async *chat() {
      yield { type: 'text-received', text: 'hello', deltas: ['hello'] };
    },
    listModels: async () => [{ id: 'origin' }],
    getModel: async (id) => ({ id }),
    close: () => undefined,
  };
  const open = async (): Promise<Service> => {
    calls.push('open');
    left -= 1;
    if (left >= 0) throw new Error('no port is free');
    const close = async () => void calls.push('close');
    return { ...facts, client, baseUrl: 'http://127.0.0.1:1234', isSandbox: true, close };
  };
  return { calls, sandbox: laterSandbox(open, facts) };
}

async function eventsOf(client: Client): Promise<readonly ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of client.chat(prompt)) events.push(event);
  return events;
}

test('opens the sandbox once, at the first prompt', async () => {
  const { calls, sandbox } = openSandbox();
  expect(calls).toEqual([]);
  const events = await eventsOf(sandbox.client);
  expect(events).toMatchObject([{ text: 'hello' }]);
  expect(await sandbox.client.listModels()).toEqual([{ id: 'origin' }]);
  expect(await sandbox.client.getModel('origin')).toEqual({ id: 'origin' });
  await sandbox.close();
  expect(calls).toEqual(['open', 'close']);
});

test('closes nothing that was not opened', async () => {
  const { calls, sandbox } = openSandbox();
  await sandbox.close();
  expect(calls).toEqual([]);
});

test('tries again after a failure', async () => {
  const { calls, sandbox } = openSandbox(1);
  await expect(eventsOf(sandbox.client)).rejects.toThrow('no port is free');
  expect(await sandbox.open()).toMatchObject({ baseUrl: 'http://127.0.0.1:1234' });
  expect(calls).toEqual(['open', 'open']);
});

test('closes without an error while a failing sandbox is opened', async () => {
  const { sandbox } = openSandbox(1);
  const opened = sandbox.open();
  await expect(sandbox.close()).resolves.toBeUndefined();
  await expect(opened).rejects.toThrow('no port is free');
});
