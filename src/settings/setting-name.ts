import { Failure, type FailureKind } from '../failure.ts';

const prototypeNames = new Set(['__proto__', 'constructor', 'prototype']);

/** Names that would set the prototype of an object. */
export function isPrototypeName(name: string): boolean {
  return prototypeNames.has(name);
}

const bodyFields: ReadonlyMap<string, string> = new Map([
  ['model', 'use --model, or natter config set model'],
  ['max_tokens', 'use --max-tokens, or natter config set max-tokens'],
  ['messages', 'natter builds them from the system prompt, the conversation and the prompt'],
  ['stream', 'use --no-stream'],
]);

/**
 * @param where completes the message: ` in profile work`
 * @returns the name
 * @throws Failure of `kind` for a body field that natter sets, or an unsafe name
 */
export function checkParameterName(name: string, kind: FailureKind, where = ''): string {
  const hint = bodyFields.get(name);
  if (hint !== undefined) {
    throw new Failure(kind, `the parameter ${name}${where} is set by natter itself`, { hint });
  }
  if (name === '' || isPrototypeName(name)) {
    throw new Failure(kind, `${JSON.stringify(name)} is not a valid parameter name${where}`);
  }
  return name;
}

const transportHeaders = new Set([
  'connection',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
]);

/**
 * @param where as for `checkParameterName`
 * @returns the name in lower case
 * @throws Failure of `kind` for a header that natter sets, or an invalid name
 */
export function checkHeaderName(name: string, kind: FailureKind, where = ''): string {
  const lower = name.toLowerCase();
  if (lower === 'authorization') {
    throw new Failure(
      kind,
      `the header authorization${where} carries the API key, which is not a setting`,
      {
        hint: 'natter auth login',
      },
    );
  }
  if (transportHeaders.has(lower)) {
    throw new Failure(kind, `the header ${lower}${where} is set by natter itself`);
  }
  // RFC 9110, 5.6.2: token.
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || isPrototypeName(name)) {
    throw new Failure(kind, `${JSON.stringify(name)} is not a valid header name${where}`);
  }
  return lower;
}
