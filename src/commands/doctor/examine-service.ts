import { nodeNetwork } from '../../client/http/node-network.ts';
import type { Run } from '../program/run.ts';
import { silentNotices } from '../../output/notices.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { openClient, openService, type Service } from '../service/service.ts';
import { checkNetwork } from './check-network.ts';
import { checkServer, type ServerFacts } from './check-server.ts';
import { checkService } from './check-service.ts';
import { addressOf, asFailure, failedFinding, type AddFinding } from './finding.ts';
import { observeNetwork } from './observed-network.ts';
import { attempt, withShortLimits, type Probe } from './probe.ts';

interface Examination extends Run<GlobalOptions> {
  readonly add: AddFinding;
  readonly wait: Probe['wait'];
}

/** Not a secret: a service that accepts it accepts every key. */
const wrongKey = 'natter-doctor-wrong-key';

async function probeService(
  { context, presentation, add, wait }: Examination,
  settings: ResolvedSettings,
  observed: Probe['observed'],
  service: Service,
): Promise<ServerFacts | undefined> {
  const { baseUrl, isSandbox, client, unmetered = client } = service;
  const hasKey = isSandbox || (settings.apiKey ?? settings.apiKeyCommand) !== undefined;
  const apiPath = isSandbox ? undefined : settings.values.apiPath;
  const stranger = { baseUrl, apiPath, apiKey: wrongKey };
  const strangerClient = hasKey
    ? await openClient(context, presentation.debugLog, settings, stranger, {
        network: observed.open,
      })
    : undefined;
  const clients = { client, unmeteredClient: unmetered, strangerClient };
  const probe = { context, settings, ...clients, observed, add, wait };
  try {
    const { signal } = context;
    const listed = await attempt(probe, () => client.listModels({ signal }));
    const { response, failure } = listed;
    await checkNetwork(probe, baseUrl, {
      response,
      ...(failure !== undefined && { failure: { remedy: failure.remedy } }),
    });
    const attempts = await checkService(probe, listed);
    return attempts === undefined ? undefined : await checkServer(attempts, add);
  } finally {
    strangerClient?.close();
  }
}

/** Checks the network and the service. @throws the reason of an abort */
export async function examineService(
  examination: Examination,
  settings: ResolvedSettings,
): Promise<ServerFacts | undefined> {
  const { context, options, presentation, add } = examination;
  const limited = withShortLimits(settings);
  const observed = observeNetwork(nodeNetwork, context.clock);
  // The findings have what they would print.
  const output = { ...presentation, notices: silentNotices };
  let service: Service | undefined;
  try {
    const source = { command: 'doctor' };
    const network = { network: observed.open };
    service = await openService(context, output, options, limited, source, network);
    return await probeService(examination, limited, observed, service);
  } catch (error) {
    context.signal.throwIfAborted();
    await add(
      failedFinding('service', 'service', asFailure(error), {
        environment: context.environment,
        address: addressOf(settings),
      }),
    );
    return undefined;
  } finally {
    await service?.close();
  }
}
