import { Failure } from '../../failure.ts';
import type { ReadOptions } from '../client.ts';
import type { ModelRecord } from '../contract.ts';
import type { RetryScheduled } from '../events.ts';
import { startDeadline } from '../http/timer.ts';
import { scheduleRetry, waitForRetry } from '../retry.ts';
import type { Connection } from '../configuration.ts';
import { parseModelList, parseModelRecord, requestJson } from './read-models.ts';

/** @throws Failure */
export async function listModels(
  service: Connection,
  options?: ReadOptions,
): Promise<readonly ModelRecord[]> {
  return parseModelList(await read(service, 'models', options));
}

/** @throws Failure, kind `not_found` for an id the service does not know */
export async function getModel(
  service: Connection,
  id: string,
  options?: ReadOptions,
): Promise<ModelRecord> {
  // In a path, these are the list of models or its parent.
  if (/^\.{0,2}$/.test(id)) throw new Failure('not_found', `there is no model "${id}"`);
  const value = await read(service, `models/${encodeURIComponent(id)}`, options);
  return parseModelRecord(value, id);
}

async function read(
  service: Connection,
  path: string,
  options: ReadOptions = {},
): Promise<unknown> {
  const { clock } = service.limits;
  const deadline = startDeadline(clock, service.totalTimeout, options.signal);
  const { signal } = deadline;
  try {
    for (let number = 1; ; number += 1) {
      let retry: RetryScheduled;
      try {
        return await requestJson(path, service, signal);
      } catch (error) {
        options.signal?.throwIfAborted();
        retry = scheduleRetry(error, number, { ...service, clock, signal });
      }
      options.onRetry?.(retry);
      await waitForRetry(retry, { ...service, clock, signal });
    }
  } finally {
    deadline.end();
  }
}
