import type { Client } from '../../client/client.ts';
import type { Service } from '../service/service.ts';

/** A service that is opened by its first use. */
export interface LaterService extends Service {
  /** The service itself. @throws Failure if it cannot be opened; the next use tries again */
  open(): Promise<Service>;
}

function laterClient(open: () => Promise<Service>): Client {
  return {
    async *chat(request, options) {
      const { client } = await open();
      yield* client.chat(request, options);
    },
    listModels: async (options) => (await open()).client.listModels(options),
    getModel: async (id, options) => (await open()).client.getModel(id, options),
    close: () => undefined,
  };
}

/** The sandbox, which needs a server that the first frame does not wait for. */
export function laterSandbox(
  open: () => Promise<Service>,
  facts: Pick<Service, 'windows' | 'clock' | 'source'>,
): LaterService {
  let opening: Promise<Service> | undefined;
  const close = async () => {
    // The use that opened it reports a failure.
    const service = await opening?.catch(() => undefined);
    await service?.close();
  };
  const opened = async (): Promise<Service> => {
    opening ??= open();
    try {
      return await opening;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  };
  return {
    ...facts,
    client: laterClient(opened),
    // Not known before it is opened.
    baseUrl: '',
    isSandbox: true,
    open: opened,
    close,
  };
}
