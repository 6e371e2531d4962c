import { expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { describeModel } from '../../src/client/models/model-description.ts';
import { Failure } from '../../src/failure.ts';
import { response } from '../support/raw-replies.ts';
import { prompt, runChat } from '../support/run-chat.ts';
import { serveClient } from '../support/serve.ts';
import { hostedServices } from './hosted-services.ts';
import { localServers } from './local-servers.ts';
import type { Outcome, RecordedResponse } from './recorded-response.ts';

const recorded = [...localServers, ...hostedServices];

/** As many as the client sends requests to a server that always fails. */
const attempts = 5;

async function modelsOf(client: Client): Promise<Outcome> {
  const records = await client.listModels();
  const models = records.map(describeModel);
  return { models: models.map(({ id, contextWindow }) => [id, contextWindow]) };
}

async function promptOf(
  set: Pick<Awaited<ReturnType<typeof serveClient>>, 'client' | 'clock'>,
  stream: boolean,
): Promise<Outcome> {
  const { events, text, error, delays } = await runChat(set, { request: { ...prompt, stream } });
  const end = events.find((event) => event.type === 'answer-finished');
  const reasoning = events.map((event) => (event.type === 'reasoning-received' ? event.text : ''));
  return {
    text,
    reasoning: reasoning.join(''),
    retries: delays.length,
    ...(end?.finishReason !== undefined && { finishReason: end.finishReason }),
    ...(end?.usage !== undefined && { usage: end.usage }),
    ...(error instanceof Failure && { kind: error.kind, message: error.message }),
  };
}

async function outcomeOf(recording: RecordedResponse): Promise<Outcome> {
  const { status, contentType, headers, body, request } = recording;
  const bytes = response(status, { 'content-type': contentType, ...headers }, body);
  const set = await serveClient(Array.from({ length: attempts }, () => [bytes]));
  return request === 'models'
    ? await modelsOf(set.client)
    : await promptOf(set, request === 'prompt');
}

test.each(recorded)('reads $server: $behaviour', async (recording) => {
  const { message = '', ...expected } = recording.outcome;
  const outcome = await outcomeOf(recording);
  expect(outcome).toMatchObject(expected);
  expect(outcome.kind).toBe(expected.kind);
  expect(outcome.message ?? '').toContain(message);
});
