import { readFileSync, statSync } from 'node:fs';
import type { Message, Usage } from '../client/contract.ts';
import { Failure } from '../failure.ts';
import type { JsonObject } from '../json.ts';
import type { AnswerMetadata } from '../output/answer-meter.ts';
import { type CheckedFields, fieldsAfterId } from '../output/json-answer.ts';
import type { Notices } from '../output/notices.ts';
import {
  type AnswerValue,
  readAnswerValue,
  correctionPrompt,
  withInstruction,
  describeViolations,
  type Violation,
} from '../schema/answer-value.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';
import { compactJson, parsePointer, textAt } from '../schema/json-pointer.ts';
import { responseFormat } from '../schema/response-format.ts';
import { isSchemaPath, isSchemaText, parseSchemaText } from '../schema/schema-text.ts';
import type { ResolvedSettings } from '../settings/resolved-settings.ts';
import { wholeNumber } from '../settings/value-types.ts';
import { failureReason } from '../storage/storage-failure.ts';
import { escapeJson } from '../terminal/safety/sanitizer.ts';
import type { Answer } from './ask.ts';

/** The options of a command that checks answers, as typed. */
export interface CheckOptions {
  /** A file, JSON, or the concise notation. */
  readonly schema?: string;
  readonly schemaRetries?: string;
  readonly responseFormat?: string;
  /** A JSON Pointer. */
  readonly select?: string;
}

/** The text of a schema: JSON, or the concise notation. */
export interface SchemaSource {
  readonly text: string;
  /** What it is, in messages. */
  readonly label: string;
}

/** What `--schema` and `--select` ask for. */
export type AnswerCheck = NonNullable<Awaited<ReturnType<typeof openCheck>>>;

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

/** Whether a name is that of a file. A name that the system refuses, such as one that is too long, is not. */
function isFile(name: string): boolean {
  try {
    return statSync(name, { throwIfNoEntry: false })?.isDirectory() === false;
  } catch {
    return false;
  }
}

const hint = 'without a file: --schema "name, age int"; ‹natter help schema› explains it';

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
    if (error instanceof Failure) throw error;
    const text = `cannot read ${value}: ${failureReason(error)}`;
    throw new Failure('usage', text, { hint, cause: error });
  }
}

async function openSchema({ text, label }: SchemaSource, notices: Notices) {
  const { compileSchema } = await import('../schema/compile-schema.ts');
  const schema = parseSchemaText(text, label);
  const compiled = compileSchema(schema, { label });
  const { unknown } = compiled;
  if (unknown.length > 0) {
    notices.warning(`not checked, because natter does not know it: ${unknown.join(', ')}`);
  }
  return { schema, compiled };
}

/** A complete answer after its check. */
interface CheckedText {
  /** Empty if it conforms. */
  readonly violations: readonly Violation[];
  /** The value of an answer that conforms. */
  readonly found?: AnswerValue;
  /** The text of the value at the pointer of `--select`. */
  readonly selected?: string;
  /** Whether the model can correct it; it cannot correct a missing value of `--select`. */
  readonly isCorrectable: boolean;
}

function createChecker(compiled: CompiledSchema | undefined, select: string | undefined) {
  const pointer = select === undefined ? undefined : parsePointer(select);
  return (content: string): CheckedText => {
    const found = readAnswerValue(content);
    if ('message' in found) return { violations: [found], isCorrectable: true };
    const violations = compiled?.check(found.value) ?? [];
    if (violations.length > 0) return { violations, isCorrectable: true };
    if (pointer === undefined) return { violations, found, isCorrectable: false };
    const selected = textAt(found.text, pointer);
    if (selected !== undefined) return { violations, found, selected, isCorrectable: false };
    return { violations: [{ path: select ?? '', message: 'is missing' }], isCorrectable: false };
  };
}

/** Adds `response_format` to the parameters, if the settings have one. */
function withFormat(settings: ResolvedSettings, schema: JsonObject | undefined): ResolvedSettings {
  const value = schema && responseFormat(settings.values.responseFormat, schema);
  if (value === undefined) return settings;
  const source = { kind: 'flag', name: '--schema' } as const;
  return { ...settings, params: { response_format: { value, source }, ...settings.params } };
}

/**
 * Opens the check that the options ask for; undefined if answers are not checked. Only a schema loads what compiles it.
 * @param own the schema without one in the options
 * @throws Failure `usage` for a schema, pointer or number that cannot be used
 */
export async function openCheck(
  notices: Notices,
  { schema: value, schemaRetries, select }: CheckOptions,
  own?: SchemaSource,
) {
  if ((value ?? own ?? schemaRetries ?? select) === undefined) return undefined;
  const source = value === undefined ? own : readSchema(value);
  const retries = parseRetries(schemaRetries, source !== undefined);
  const opened = source && (await openSchema(source, notices));
  const schema = opened?.schema;
  return {
    /** The schema as JSON; undefined without one. */
    schema,
    /** How often to ask again. */
    retries,
    /** The pointer of `--select`, as typed. */
    pointer: select,
    /** Adds the schema to a prompt. */
    prompt: (text: string) => (schema === undefined ? text : withInstruction(text, schema)),
    settings: (settings: ResolvedSettings) => withFormat(settings, schema),
    /** Checks the text of a complete answer. @throws Failure `usage` if it takes too long */
    check: createChecker(opened?.compiled, select),
  };
}

/** An answer with its check. */
interface CheckedAnswer<Given extends Answer = Answer> {
  readonly answer: Given;
  /** Undefined if the answer is missing or was cut. */
  readonly checked: CheckedText | undefined;
}

/** The answers to one prompt. */
export interface CheckedAnswers<Given extends Answer = Answer> {
  /** In order; each has violations. */
  readonly earlier: readonly CheckedAnswer<Given>[];
  readonly last: CheckedAnswer<Given>;
}

/** What is sent after an answer with violations; after an empty answer, the same messages are sent again. */
interface Correction {
  readonly isRepeat: boolean;
  readonly prompt: string;
}

/** Sends the messages, and again with the violations, until an answer conforms. */
export async function askUntilConforming<Given extends Answer>({
  check,
  messages,
  send,
  onMismatch,
}: {
  readonly check: AnswerCheck;
  readonly messages: readonly Message[];
  /** Receives one answer completely. @param correction undefined for the first */
  readonly send: (
    messages: readonly Message[],
    correction: Correction | undefined,
  ) => Promise<Given>;
  /** Called before the model is asked again. @returns whether it may be */
  readonly onMismatch: (text: string, retry: number) => boolean;
}): Promise<CheckedAnswers<Given>> {
  const earlier: CheckedAnswer<Given>[] = [];
  let next = messages;
  let correction: Correction | undefined;
  for (let retry = 1; ; retry += 1) {
    const answer = await send(next, correction);
    // The limit of tokens cuts an answer.
    const isCut = answer.metadata.finishReason === 'length';
    const isComplete = answer.failure === undefined && !isCut;
    const checked = isComplete ? check.check(answer.content) : undefined;
    const { violations = [], isCorrectable = false } = checked ?? {};
    const mayAsk = isCorrectable && retry <= check.retries;
    const isAsked = mayAsk && onMismatch(describeViolations(violations), retry);
    if (!isAsked) return { earlier, last: { answer, checked } };
    earlier.push({ answer, checked });
    const { content, received } = answer;
    const isRepeat = content.trim() === '';
    // The names in violations may be secrets, too.
    const shown = received === content ? violations : check.check(received).violations;
    correction = { isRepeat, prompt: correctionPrompt(shown) };
    // Some services reject an empty message.
    if (isRepeat) continue;
    const last: Message = { role: 'assistant', content: received };
    next = [...next, last, { role: 'user', content: correction.prompt }];
  }
}

function mismatchFailure(
  { pointer, schema }: AnswerCheck,
  { violations, isCorrectable }: CheckedText,
): Failure {
  if (!isCorrectable) {
    return new Failure('mismatch', `the answer has no value at ${pointer ?? ''}`, {
      hint: '--json shows the whole answer',
    });
  }
  const text = describeViolations(violations);
  if (schema === undefined) {
    return new Failure('mismatch', text, { hint: '--schema asks the model for JSON' });
  }
  return new Failure('mismatch', `the answer does not match the schema: ${text}`, {
    hint: '--json shows all violations; --schema-retries asks again more often',
  });
}

/** The failure of answers without a value; undefined if the last one has it. */
export function failureOf(check: AnswerCheck, answers: CheckedAnswers): Failure | undefined {
  const { answer, checked } = answers.last;
  if (answer.failure !== undefined) return answer.failure;
  if (checked === undefined) {
    return new Failure(
      'incomplete',
      'the answer is incomplete: it reached the token limit (finish_reason length)',
      { remedy: { code: 'raise-max-tokens' } },
    );
  }
  return checked.violations.length === 0 ? undefined : mismatchFailure(check, checked);
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
}

function usageOf(parts: readonly AnswerMetadata[]): Usage | undefined {
  if (parts.every(({ usage }) => usage === undefined)) return undefined;
  const names = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const;
  const totals = names.map((name) => [name, sum(parts.map(({ usage }) => usage?.[name]))] as const);
  return Object.fromEntries(totals.filter(([, total]) => total !== undefined));
}

/** Describes the first prompt that was probably cut. */
function truncationOf(parts: readonly AnswerMetadata[]): Partial<AnswerMetadata> {
  const cut = parts.find(({ estimatedPromptTokens: estimate }) => estimate !== undefined);
  if (cut?.estimatedPromptTokens === undefined) return {};
  const { estimatedPromptTokens, usage } = cut;
  return { estimatedPromptTokens, countedPromptTokens: usage?.prompt_tokens ?? 0 };
}

/** Joins what is known about all answers to a prompt: the last one, with the tokens, requests and times of all. */
export function metadataOf({ earlier, last }: CheckedAnswers): AnswerMetadata {
  const { metadata } = last.answer;
  if (earlier.length === 0) return metadata;
  const parts = [...earlier, last].map(({ answer }) => answer.metadata);
  const usage = usageOf(parts);
  const firstText = parts[0]?.timing?.firstText;
  const total = sum(parts.map(({ timing }) => timing?.total)) ?? 0;
  return {
    ...metadata,
    ...truncationOf(parts),
    ...(usage !== undefined && { usage }),
    attempts: sum(parts.map(({ attempts }) => attempts)) ?? parts.length,
    timing: { ...(firstText !== undefined && { firstText }), total },
  };
}

/** Adds `value` and `selected` to a line of JSON, with the digits that the model wrote. */
function withValue(line: string, checked: CheckedText | undefined): string {
  if (checked?.found === undefined) return line;
  const json = (text: string) => escapeJson(compactJson(text));
  const { found, selected } = checked;
  const value = `,"value":${json(found.text)}`;
  const part = selected === undefined ? '' : `,"selected":${json(selected)}`;
  return line.replace(/\}\n$/, () => `${value}${part}}\n`);
}

/**
 * Makes what a check adds to the JSON of an answer: `violations`, and `checked_answers` if the model was asked again.
 */
export function checkedFields(
  { earlier, last }: CheckedAnswers,
  requestedModel: string,
): CheckedFields {
  const { checked } = last;
  const all = [...earlier, last].map(
    ({ answer: { metadata, content }, checked: { violations } = {} }) => ({
      ...fieldsAfterId(metadata, content, requestedModel),
      violations,
    }),
  );
  return {
    fields: {
      violations: checked?.violations,
      checked_answers: earlier.length === 0 ? undefined : all,
    },
    withValue: (line) => withValue(line, checked),
  };
}

/**
 * Returns the value of `--select` (a text without its quotes), else that of the whole answer; undefined without one.
 */
export function valueText({ last }: CheckedAnswers): string | undefined {
  const { found, selected } = last.checked ?? {};
  if (selected?.startsWith('"') === true) return JSON.parse(selected) as string;
  return selected ?? found?.text;
}
