import { Failure, type FailureKind } from '../failure.ts';
import { inexactNumbers, isTooDeep, jsonProblem, parseJson } from '../json.ts';
import { keyProblem } from '../secrets/secret-parts.ts';
import type { ValueType } from './definitions.ts';

/** How a bad value is reported. The value is not part of the message, because it may be a misplaced key. */
export interface ValueOrigin {
  /** `--timeout`, `NATTER_TIMEOUT`, `timeout in profile work`. */
  readonly label: string;
  readonly kind: FailureKind;
  readonly hint?: string;
}

/** Makes the origin of a value in the settings file. @param setting its name, such as `prices.origin` */
export function profileOrigin(setting: string, profile: string): ValueOrigin {
  return {
    label: `${setting} in profile ${profile}`,
    kind: 'configuration',
    hint: `‹natter config unset ${setting} --profile ${profile}›`,
  };
}

/** The failure of a value that is not in the expected form, which completes "must be …". */
function badValue({ kind, label, hint }: ValueOrigin, expected: string): Failure {
  return new Failure(kind, `${label} must be ${expected}`, { hint });
}

/** Reads a value as typed, or as JSON has it. @throws Failure with the origin and the expected form */
export function parseValue<Value>(
  type: ValueType<Value>,
  raw: unknown,
  origin: ValueOrigin,
): Value {
  const text = /^(?:string|number|boolean)$/.test(typeof raw) ? String(raw) : undefined;
  const value = text === undefined ? undefined : type.parse(text);
  if (value !== undefined) return value;
  const mistake = text === undefined ? undefined : type.mistake?.(text);
  if (mistake === undefined) throw badValue(origin, type.expected);
  throw new Failure(origin.kind, `${origin.label} has ${mistake}`, {
    hint: origin.hint ?? `it must be ${type.expected}`,
  });
}

/** Reads any JSON value; a bare word is text. @throws Failure with the origin */
export function parseParameterValue(text: string, origin: ValueOrigin): unknown {
  const value = parseJson(text);
  const [inexact] = value === undefined ? [] : inexactNumbers(text);
  if (inexact !== undefined) {
    const hint = 'use at most 15 digits, or put the number in double quotes to send it as text';
    throw badValue({ ...origin, hint }, 'JSON whose numbers natter can send unchanged');
  }
  if (value !== undefined) return value;
  // Misspellings of JSON's true, false and null would otherwise be sent as text.
  const nearlyJson = /^(?:true|false|null|none|nil|undefined|nan|infinity)$/i;
  if (/^[a-z_][\w.:/@+-]*$/i.test(text) && !nearlyJson.test(text)) return text;
  if (isTooDeep(text)) throw new Failure(origin.kind, `${origin.label} ${jsonProblem(text)}`);
  const quoted =
    'put text of several words in double quotes inside the shell quotes: \'"two words"\'';
  throw badValue({ hint: quoted, ...origin }, 'JSON or a single word');
}

/** Reads a `--param`. @throws Failure `usage` */
export function parseParameterFlag(text: string): readonly [name: string, value: unknown] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new Failure('usage', '--param must be name=json', { hint: '--param temperature=0.2' });
  }
  return [name, parseParameterValue(value, { label: `--param ${name}`, kind: 'usage' })];
}

/**
 * Reads a key, trimmed.
 * @param label the source of the key, for the message, which never contains the key
 * @throws Failure of `kind` for a key with characters not allowed in an HTTP header
 */
export function parseApiKey(text: string, label: string, kind: FailureKind): string {
  const key = text.trim();
  const problem = keyProblem(key);
  if (problem === undefined) return key;
  throw new Failure(kind, `${label} ${problem}`, {
    hint: 'copy the key again, alone and on one line',
  });
}
