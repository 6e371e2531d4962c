// Failures whose kind, message and hint depend on each other, made by calling the functions of src with samples.
import { commandHints } from '../../../src/commands/program/report.ts';
import { certificateFailure } from '../../../src/client/failure/certificate-failure.ts';
import { serviceFailure } from '../../../src/client/failure/service-failure.ts';
import { createRoute } from '../../../src/client/http/route.ts';
import type { Failure } from '../../../src/failure.ts';
import { hintOf } from '../../../src/output/remedy-hints.ts';
import type { FailureMessage } from './failure-message.ts';

const host = 'api.example.com';

function messageOf(
  failure: Failure,
  values: readonly (readonly [string, string])[],
): FailureMessage {
  const hint = hintOf(failure, commandHints);
  const message = values.reduce(
    (text, [value, name]) => text.replaceAll(value, `<${name}>`),
    failure.message,
  );
  const example = hint === undefined ? failure.message : `${failure.message}\n${hint}`;
  return { kind: failure.kind, message, hints: hint === undefined ? [] : [hint], example };
}

const statuses = [400, 401, 403, 404, 429, 500];
const bodies = ['', '{"error": {"message": "details"}}'];

function serviceFailures(): readonly FailureMessage[] {
  const now = new Date(0);
  const of = (status: number, text: string, method: 'GET' | 'POST') =>
    messageOf(
      serviceFailure(
        { status, headers: {}, text },
        now,
        { method, url: new URL('https://api.example.com/v1/models') },
        String,
      ),
      [
        [String(status), 'status'],
        ['details', 'reason'],
      ],
    );
  return [
    ...statuses.flatMap((status) => bodies.map((text) => of(status, text, 'POST'))),
    ...[400, 403, 404].map((status) => of(status, '', 'GET')),
    of(429, '{"error": {"code": "insufficient_quota", "message": "details"}}', 'POST'),
  ];
}

const certificateCodes = [
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_CHAIN_TOO_LONG',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
];

function certificateFailures(): readonly FailureMessage[] {
  const route = createRoute(new URL(`https://${host}`), {});
  const cert = { subjectaltname: 'DNS:www.example.net' };
  return certificateCodes.map((code) =>
    messageOf(certificateFailure({ cert }, code, route), [
      [route.target, 'target'],
      [code, 'code'],
      [host, 'host'],
      ['www.example.net', 'names'],
    ]),
  );
}

/** By the file of src that creates them. */
export function failuresOfRuns(): ReadonlyMap<string, readonly FailureMessage[]> {
  return new Map([
    ['src/client/failure/service-failure.ts', serviceFailures()],
    ['src/client/failure/certificate-failure.ts', certificateFailures()],
  ]);
}
