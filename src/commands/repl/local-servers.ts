import type { FoundServer } from '../../repl/state/dialog.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { Context } from '../program/context.ts';
import { clientOptions } from '../service/service.ts';

interface LocalServer {
  readonly name: string;
  readonly port: number;
}

/** Programs that serve models on this machine, and the ports they take by default. */
const defaultServers: readonly LocalServer[] = [
  { name: 'llama.cpp', port: 8080 },
  { name: 'Ollama', port: 11_434 },
  { name: 'vLLM', port: 8000 },
  { name: 'LM Studio', port: 1234 },
];

/** Milliseconds; what runs on this machine answers at once or is something else. */
const patience = 1500;

/**
 * Asks the usual ports of this machine for models; who does not list any is no server of ours. Whoever listens there
 * gets neither the key nor the headers of the profile.
 */
export async function findLocalServers(
  context: Context,
  settings: ResolvedSettings,
  signal: AbortSignal,
  servers: readonly LocalServer[] = defaultServers,
): Promise<readonly FoundServer[]> {
  const { createClient } = await import('../../client/create-client.ts');
  const limits = { retries: 0, connectTimeout: patience, totalTimeout: patience } as const;
  const bare = { ...settings, headers: {} };
  const ask = async ({ name, port }: LocalServer) => {
    const url = `http://127.0.0.1:${port}`;
    const target = { baseUrl: url, apiKey: undefined };
    const client = createClient({ ...clientOptions(context, bare, target), ...limits });
    try {
      const records = await client.listModels({ signal });
      return [{ name, url, models: records.map(({ id }) => id) }];
    } catch (error) {
      if (signal.aborted) throw error;
      return [];
    } finally {
      client.close();
    }
  };
  return (await Promise.all(servers.map(ask))).flat();
}
