// What the server supports, and its quirks, from the responses to the prompts.
import { requestIdHeaders } from '../../client/http/response-headers.ts';
import {
  errorForm,
  streamFacts,
  wholeFacts,
  type StreamFacts,
  type WholeFacts,
} from './answer-facts.ts';
import { answerLimit, type ServiceAttempts } from './check-service.ts';
import type { AddFinding, SectionFinding } from './finding.ts';
import type { Attempt } from './probe.ts';
import type { ObservedResponse } from './observed-network.ts';

/** The facts as in the JSON output; null for what was not observed. */
export interface ServerFacts {
  readonly stream: StreamFacts | null;
  readonly whole: WholeFacts | null;
  readonly request_id_header: string | null;
  readonly rate_limit_headers: readonly string[];
  readonly error: { readonly status: number; readonly form: string } | null;
}

const note = (check: string, text: string): SectionFinding => ({ check, outcome: 'note', text });
const ok = (check: string, text: string): SectionFinding => ({ check, outcome: 'ok', text });

const usageTexts: Readonly<Record<StreamFacts['usage'], string>> = {
  none: 'usage: none in streams, so streamed answers have no token counts',
  finish: 'usage: in streams, with the finish_reason',
  last: 'usage: in streams, in a chunk after the finish_reason',
  every: 'usage: in streams, in several chunks',
};

function streamFindings(facts: StreamFacts): readonly SectionFinding[] {
  const { hasDone, finishReason, usage, comments, otherLines, events } = facts;
  return [
    ok('form', `streams: server-sent events, ${events} for this answer`),
    hasDone
      ? ok('end', 'streams end with [DONE]')
      : note('end', 'streams do not end with [DONE]; natter takes the finish_reason as the end'),
    finishReason === undefined
      ? note('finish-reason', 'finish_reason: none in streams')
      : ok('finish-reason', `finish_reason: ${finishReason} in streams`),
    usage === 'none' ? note('usage', usageTexts.none) : ok('usage', usageTexts[usage]),
    ...(comments === 0 ? [] : [note('comments', `streams have comment lines: ${comments}`)]),
    ...(otherLines.length === 0
      ? []
      : [note('lines', `streams have other lines: ${otherLines.join(', ')}`)]),
  ];
}

function formFindings(
  { stream, whole }: ServerFacts,
  streamed: ObservedResponse | undefined,
): readonly SectionFinding[] {
  const isJson = stream === null && streamed !== undefined && wholeFacts(streamed.body());
  return [
    ...(isJson
      ? [note('form', 'a stream was requested, but the server sent one JSON body')]
      : stream === null
        ? []
        : streamFindings(stream)),
    ...(whole === null || whole.hasUsage
      ? []
      : [note('whole-usage', 'usage: none in answers with one JSON body')]),
  ];
}

function fieldFindings({ stream, whole }: ServerFacts): readonly SectionFinding[] {
  const fields = [...new Set([...(stream?.extraFields ?? []), ...(whole?.extraFields ?? [])])];
  return fields.length === 0
    ? []
    : [note('fields', `fields that the contract does not name: ${fields.join(', ')}`)];
}

function headerFindings({ request_id_header: id, rate_limit_headers: limits }: ServerFacts) {
  return [
    id === null
      ? note('request-id', 'request id: none in the headers')
      : ok('request-id', `request id: in the header ${id}`),
    ...(limits.length === 0 ? [] : [note('rate-limits', `rate limits: ${limits.join(', ')}`)]),
  ];
}

function limitFindings({ streamed, whole }: ServiceAttempts): readonly SectionFinding[] {
  const counts = [streamed, whole].map(({ value }) => value?.usage?.completion_tokens ?? 0);
  const most = Math.max(...counts);
  if (most <= answerLimit) return [];
  const text = `max_tokens: an answer has ${most} tokens, although ${answerLimit} were the limit`;
  return [{ check: 'max-tokens', outcome: 'warning', text }];
}

function factsOf({ streamed, whole, refused }: ServiceAttempts): ServerFacts {
  const headers = { ...whole.response?.headers, ...streamed.response?.headers };
  const refusal = refused.find(({ response }) => (response?.status ?? 0) >= 400)?.response;
  const bodyOf = ({ failure, response }: Attempt<unknown>) =>
    failure === undefined ? (response?.body() ?? '') : '';
  return {
    // The end of an answer that failed shows nothing about others.
    stream: streamFacts(bodyOf(streamed)) ?? null,
    whole: wholeFacts(bodyOf(whole)) ?? null,
    request_id_header: requestIdHeaders.find((name) => headers[name] !== undefined) ?? null,
    rate_limit_headers: Object.keys(headers).filter((name) => /^(?:x-)?ratelimit/.test(name)),
    error:
      refusal === undefined ? null : { status: refusal.status, form: errorForm(refusal.body()) },
  };
}

/** Describes the server. @returns the facts */
export async function checkServer(
  attempts: ServiceAttempts,
  add: AddFinding,
): Promise<ServerFacts | undefined> {
  const { streamed, whole } = attempts;
  if (streamed.failure !== undefined && whole.failure !== undefined) return undefined;
  const facts = factsOf(attempts);
  const findings = [
    ...formFindings(facts, streamed.response),
    ...limitFindings(attempts),
    ...headerFindings(facts),
    ...fieldFindings(facts),
    ...(facts.error === null
      ? []
      : [ok('errors', `errors: ${facts.error.form} (${facts.error.status})`)]),
  ];
  for (const finding of findings) await add({ section: 'server', ...finding });
  return facts;
}
