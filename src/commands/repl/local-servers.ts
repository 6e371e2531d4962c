import type { FoundServer } from '../../repl/state/dialog.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { clientOptions, type ClientContext } from '../service/service.ts';

interface LocalServer {
  readonly name: string;
  readonly port: number;
}

/** Programs that serve models on this machine, and their default ports. */
const defaultServers: readonly LocalServer[] = [
  { name: 'llama.cpp', port: 8080 },
  { name: 'Ollama', port: 11_434 },
  { name: 'vLLM', port: 8000 },
  { name: 'LM Studio', port: 1234 },
];

/** Milliseconds. */
const timeLimit = 1500;

/** Sends neither the key nor the headers of the profile, because any program may listen on these ports. */
export async function findLocalServers(
  context: ClientContext,
  settings: ResolvedSettings,
  signal: AbortSignal,
  servers: readonly LocalServer[] = defaultServers,
): Promise<readonly FoundServer[]> {
  const { createClient } = await import('../../client/create-client.ts');
  const { nodeNetwork } = await import('../../client/http/node-network.ts');
  const limits = { retries: 0, connectTimeout: timeLimit, totalTimeout: timeLimit } as const;
  const withoutHeaders = { ...settings, headers: {} };
  const find = async ({ name, port }: LocalServer) => {
    const url = `http://127.0.0.1:${port}`;
    const target = { baseUrl: url, apiKey: undefined };
    const client = createClient({
      ...clientOptions(context, withoutHeaders, target),
      ...limits,
      network: nodeNetwork,
    });
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
  return (await Promise.all(servers.map(find))).flat();
}
