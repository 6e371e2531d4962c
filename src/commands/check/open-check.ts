import { readFileSync, statSync } from 'node:fs';
import { rephrase } from '../../client/failure/request-failure.ts';
import { Failure } from '../../failure.ts';
import type { JsonObject } from '../../json.ts';
import type { Notices } from '../../output/notices.ts';
import { type AnswerValue, readAnswerValue } from '../../schema/answer-value.ts';
import { type CompiledSchema, compileSchema } from '../../schema/compile-schema.ts';
import { withInstruction } from '../../schema/instruction.ts';
import { parsePointer, textAt } from '../../schema/json-pointer.ts';
import { responseFormat } from '../../schema/response-format.ts';
import { isSchemaPath, isSchemaText, parseSchemaText } from '../../schema/schema-text.ts';
import type { Violation } from '../../schema/violation.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { wholeNumber } from '../../settings/value-types.ts';
import { cannotRead } from '../program/named-file.ts';
import type { CheckOptions, SchemaSource, SelectOptions } from './check-options.ts';

/** A complete answer after its check. */
export interface CheckedText {
  /** Empty if it conforms. */
  readonly violations: readonly Violation[];
  /** Of an answer that conforms. */
  readonly found?: AnswerValue;
  /** The text of the value at the pointer of `--select`. */
  readonly selected?: string;
  /** Whether the model can correct it: not for a missing value of `--select`. */
  readonly isCorrectable: boolean;
}

/** What `--schema` and `--select` ask for. */
export interface AnswerCheck {
  readonly hasSchema: boolean;
  /** As JSON; undefined without one. */
  readonly schema: JsonObject | undefined;
  /** How often to ask again. */
  readonly retries: number;
  /** As typed. */
  readonly pointer: string | undefined;
  /** The prompt as it is sent: with the schema. */
  prompt(text: string): string;
  /** With `response_format` among the parameters, if the settings have one. */
  settings(settings: ResolvedSettings): ResolvedSettings;
  /** @throws Failure `usage` if it takes too long */
  check(content: string): CheckedText;
}

const defaultRetries = 1;
const retryCount = wholeNumber(0, 100);

function parseRetries(text: string | undefined, hasSchema: boolean): number {
  if (!hasSchema) {
    if (text === undefined) return 0;
    throw new Failure('usage', '--schema-retries needs --schema');
  }
  if (text === undefined) return defaultRetries;
  const retries = retryCount.parse(text);
  if (retries !== undefined) return retries;
  throw new Failure('usage', `--schema-retries must be ${retryCount.expected}`);
}

/** A name that the system refuses, such as one that is too long, is none of a file. */
function isFile(name: string): boolean {
  try {
    return statSync(name, { throwIfNoEntry: false })?.isDirectory() === false;
  } catch {
    return false;
  }
}

const hint = 'without a file: --schema "name, age int"; natter help schema explains it';

/** @throws Failure `usage` if it names a file that cannot be read */
function readSchema(value: string): SchemaSource {
  if (value.trim() === '') throw new Failure('usage', '--schema is empty', { hint });
  if (isSchemaText(value) || (!isSchemaPath(value) && !isFile(value))) {
    return { text: value, label: '--schema' };
  }
  try {
    const text = readFileSync(value, 'utf8');
    if (text.includes('\0'))
      throw new Failure('usage', `${value} is binary, not a schema`, { hint });
    return { text, label: value };
  } catch (error) {
    throw error instanceof Failure ? error : rephrase(cannotRead(value, error), { hint });
  }
}

interface OpenedSchema {
  readonly schema: JsonObject;
  readonly compiled: CompiledSchema;
}

function openSchema({ text, label }: SchemaSource, notices: Notices): OpenedSchema {
  const schema = parseSchemaText(text, label);
  const compiled = compileSchema(schema, { label });
  const { unknown } = compiled;
  if (unknown.length > 0) {
    notices.warning(`not checked, because natter does not know it: ${unknown.join(', ')}`);
  }
  return { schema, compiled };
}

function createChecker(opened: OpenedSchema | undefined, select: string | undefined) {
  const pointer = select === undefined ? undefined : parsePointer(select);
  return (content: string): CheckedText => {
    const found = readAnswerValue(content);
    if ('message' in found) return { violations: [found], isCorrectable: true };
    const violations = opened?.compiled.check(found.value) ?? [];
    if (violations.length > 0) return { violations, isCorrectable: true };
    if (pointer === undefined) return { violations, found, isCorrectable: false };
    const selected = textAt(found.text, pointer);
    if (selected !== undefined) return { violations, found, selected, isCorrectable: false };
    return { violations: [{ path: select ?? '', message: 'is missing' }], isCorrectable: false };
  };
}

function withFormat(settings: ResolvedSettings, schema: JsonObject): ResolvedSettings {
  const value = responseFormat(settings.values.responseFormat, schema);
  if (value === undefined) return settings;
  const source = { kind: 'flag', name: '--schema' } as const;
  return { ...settings, params: { response_format: { value, source }, ...settings.params } };
}

/**
 * Reads and compiles the schema.
 * @param own the schema without one in the options
 * @throws Failure `usage` for a schema, pointer or number that cannot be used
 */
export function openCheck(
  notices: Notices,
  { schema: value, schemaRetries, select }: CheckOptions & SelectOptions,
  own?: SchemaSource,
): AnswerCheck {
  const source = value === undefined ? own : readSchema(value);
  const retries = parseRetries(schemaRetries, source !== undefined);
  const opened = source && openSchema(source, notices);
  const check = createChecker(opened, select);
  return {
    hasSchema: opened !== undefined,
    schema: opened?.schema,
    retries,
    pointer: select,
    prompt: (text) => (opened === undefined ? text : withInstruction(text, opened.schema)),
    settings: (settings) => (opened === undefined ? settings : withFormat(settings, opened.schema)),
    check,
  };
}
