import type { Dialog, DialogChoice, FoundServer } from './dialog.ts';
import { createBuffer } from '../editing/text-buffer.ts';

export function keyDialog(address: string, before?: Dialog): Dialog {
  return {
    type: 'entry',
    asks: 'key',
    title: `API key for ${address} (not shown; empty for none)`,
    input: createBuffer(),
    isHidden: true,
    address,
    before,
  };
}

export function addressDialog(before?: Dialog, address = ''): Dialog {
  return {
    type: 'entry',
    asks: 'address',
    title: 'base URL of the service, such as https://api.example.com',
    input: createBuffer(address),
    isHidden: false,
    address,
    before,
  };
}

const connectionChoices: readonly DialogChoice[] = [
  { key: 'connect', label: 'connect to a service (URL and API key)' },
  { key: 'probe', label: 'look for a server on this machine (llama.cpp, Ollama, vLLM, LM Studio)' },
  { key: 'sandbox', label: 'use the sandbox: no key needed, nothing leaves this machine' },
];

/** The first screen when no service is configured. */
export function firstRunDialog(): Dialog {
  return {
    type: 'choice',
    title: 'no service is configured yet',
    choices: connectionChoices,
    selected: 0,
  };
}

export function serversDialog(servers: readonly FoundServer[], before?: Dialog): Dialog {
  const [connect, , sandbox] = connectionChoices;
  const found = servers.map(({ name, url, models }): DialogChoice => {
    const [model] = models;
    const offer = model === undefined ? 'no models listed' : models.slice(0, 3).join(', ');
    const label = `use ${name} at ${url} (${offer})`;
    return { key: 'server', label, url, ...(model === undefined ? {} : { model }) };
  });
  return {
    type: 'choice',
    title: servers.length === 0 ? 'no server was found on this machine' : 'found on this machine',
    choices: [...found, ...[connect, sandbox].filter((choice) => choice !== undefined)],
    selected: 0,
    before,
  };
}
