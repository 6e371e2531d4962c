import { readFileSync } from 'node:fs';
import type { Message } from '../client/contract.ts';
import { Failure } from '../failure.ts';
import { definedFields, type JsonObject } from '../json.ts';
import type { CodeBlock } from '../conversation/code-blocks.ts';
import type { AnswerMetadata, CheckedFields } from '../output/answer-meter.ts';
import { fieldsAfterId } from '../output/json-answer.ts';
import type { Notices } from '../output/notices.ts';
import {
  type AnswerValue,
  readAnswerValue,
  responseFormat,
  compactJson,
  parsePointer,
  textAt,
  correctionPrompt,
  withInstruction,
  describeViolations,
  type Violation,
} from '../schema/answer-value.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';
import { isSchemaPath, isSchemaText, parseSchemaText } from '../schema/schema-text.ts';
import type { ResolvedSettings } from '../settings/resolved-settings.ts';
import { parseValue } from '../settings/setting-value.ts';
import { wholeNumber } from '../settings/definitions.ts';
import { errorCode, failureReason } from '../storage/storage-failure.ts';
import { escapeJson } from '../terminal/safety/sanitizer.ts';
import type { Answer } from './ask.ts';

/** The options of a command that checks answers, as typed. */
export interface CheckOptions {
  /** A file, JSON, or the concise notation. */
  readonly schema?: string;
  readonly schemaRetries?: string;
  /** A JSON Pointer. */
  readonly select?: string;
  /** The number of a code block, or `last`. */
  readonly extract?: string;
}

/** The text of a schema: JSON, or the concise notation. */
export interface SchemaSource {
  readonly text: string;
  /** What it is, in messages. */
  readonly label: string;
}

/** What `--schema`, `--select` and `--extract` ask for. */
export type AnswerCheck = NonNullable<Awaited<ReturnType<typeof openCheck>>>;

const defaultRetries = '1';

const hint = 'without a file: --schema "name, age int"; ‹natter help schema› explains it';

/** The error codes of a text that names no file: none exists, or the text is too long for a name. */
const isNoFile = /^(?:ENOENT|ENOTDIR|EISDIR|ENAMETOOLONG|EINVAL|ERR_INVALID_ARG_VALUE)$/;

function readSchema(value: string): SchemaSource {
  if (value.trim() === '') throw new Failure('usage', '--schema is empty', { hint });
  const own = { text: value, label: '--schema' };
  if (isSchemaText(value)) return own;
  let text: string;
  try {
    text = readFileSync(value, 'utf8');
  } catch (error) {
    if (!isSchemaPath(value) && isNoFile.test(errorCode(error) ?? '')) return own;
    const reason = failureReason(error);
    throw new Failure('usage', `cannot read ${value}: ${reason}`, { hint, cause: error });
  }
  if (!text.includes('\0')) return { text, label: value };
  throw new Failure('usage', `${value} is binary, not a schema`, { hint });
}

async function compile(schema: JsonObject, label: string, notices: Notices) {
  const { compileSchema } = await import('../schema/compile-schema.ts');
  const compiled = compileSchema(schema, { label });
  const unknown = compiled.unknown.join(', ');
  if (unknown !== '') notices.warning(`not checked, because natter does not know it: ${unknown}`);
  return compiled;
}

interface CheckedText {
  /** Empty if it conforms. */
  readonly violations: readonly Violation[];
  readonly found?: AnswerValue;
  /** The text of the value at the pointer of `--select`. */
  readonly selected?: string;
  /** Why it has no value; undefined if it conforms. */
  readonly failure?: Failure;
  /** Whether the model can correct it; it cannot correct a missing value of `--select`. */
  readonly isCorrectable?: boolean;
  /** With `--extract`, the block; null if it is missing. */
  readonly block?: CodeBlock | null;
}

/** Says what is wrong with an answer that was checked against a schema. */
export const mismatchText = (violations: readonly Violation[]): string =>
  `the answer does not match the schema: ${describeViolations(violations)}`;

const mismatch = (message: string, advice: string) =>
  new Failure('mismatch', message, { hint: advice });

function createChecker(compiled: CompiledSchema | undefined, select: string | undefined) {
  const pointer = parsePointer(select ?? '');
  return (content: string): CheckedText => {
    const found = readAnswerValue(content);
    const violations = 'message' in found ? [found] : (compiled?.check(found.value) ?? []);
    if ('message' in found || violations.length > 0) {
      const advice = '--json shows all violations; --schema-retries asks again more often';
      const failure =
        compiled === undefined
          ? mismatch(describeViolations(violations), '--schema asks the model for JSON')
          : mismatch(mismatchText(violations), advice);
      return { violations, failure, isCorrectable: true };
    }
    if (select === undefined) return { violations, found };
    const selected = textAt(found.text, pointer);
    if (selected !== undefined) return { violations, found, selected };
    const failure = mismatch(
      `the answer has no value at ${select}`,
      '--json shows the whole answer',
    );
    return { violations: [{ path: select, message: 'is missing' }], failure };
  };
}

/** Opens the check of `--extract`. Only it loads what reads Markdown. @throws Failure `usage` */
async function openExtraction(value: string) {
  const { extractBlock, parseExtract } = await import('../conversation/code-blocks.ts');
  const wanted = parseExtract(value);
  return {
    check: (content: string): CheckedText => {
      const block = extractBlock(content, wanted);
      if (typeof block !== 'string') return { violations: [], block };
      const advice = 'ask for a code block in the prompt; -x last prints the last one of several';
      const violations = [{ path: '', message: block }];
      return { violations, block: null, failure: mismatch(describeViolations(violations), advice) };
    },
    findEarly: (received: string): CodeBlock | undefined => {
      const block = wanted === 'last' ? '' : extractBlock(received, wanted);
      return typeof block === 'string' ? undefined : block;
    },
  };
}

/**
 * Opens the check that the options ask for; undefined if answers are not checked. Only a schema loads what compiles it.
 * @param own the schema without one in the options
 * @throws Failure `usage` for a schema, pointer or number that cannot be used
 */
export async function openCheck(
  notices: Notices,
  { schema: value, schemaRetries, select, extract }: CheckOptions,
  own?: SchemaSource,
) {
  const extraction = extract === undefined ? undefined : await openExtraction(extract);
  if ((extraction ?? value ?? own ?? schemaRetries ?? select) === undefined) return undefined;
  const source = value === undefined ? own : readSchema(value);
  if (source === undefined && schemaRetries !== undefined) {
    throw new Failure('usage', '--schema-retries needs --schema');
  }
  const schema = source && parseSchemaText(source.text, source.label);
  const compiled = schema && (await compile(schema, source.label, notices));
  return {
    schema,
    retries:
      schema === undefined
        ? 0
        : parseValue(wholeNumber(0, 100), schemaRetries ?? defaultRetries, {
            label: '--schema-retries',
            kind: 'usage',
          }),
    /** The pointer of `--select`, as typed. */
    pointer: select,
    /** Adds the schema to a prompt. */
    prompt: (text: string) => (schema === undefined ? text : withInstruction(text, schema)),
    settings(settings: ResolvedSettings): ResolvedSettings {
      const format = schema && responseFormat(settings.values.responseFormat, schema);
      if (format === undefined) return settings;
      const flag = { kind: 'flag', name: '--schema' } as const;
      const params = { response_format: { value: format, source: flag }, ...settings.params };
      return { ...settings, params };
    },
    /** Checks the text of an answer. @throws Failure `usage` if it takes too long */
    check: extraction?.check ?? createChecker(compiled, select),
    /** With `--extract`, finds the block in what was received so far; `last` may be a later one. */
    findEarly: extraction?.findEarly,
  };
}

interface CheckedAnswer<Given extends Answer = Answer> {
  readonly answer: Given;
  /** Undefined if the answer is missing or was cut. */
  readonly checked: CheckedText | undefined;
}

export interface CheckedAnswers<Given extends Answer = Answer> {
  /** The refused answers in their order; each has violations. */
  readonly earlier: readonly CheckedAnswer<Given>[];
  readonly last: CheckedAnswer<Given>;
}

/** Sends the messages, and again with the violations, until an answer conforms. */
export async function askUntilConforming<Given extends Answer>({
  check,
  messages,
  send,
  onMismatch,
}: {
  readonly check: AnswerCheck | undefined;
  readonly messages: readonly Message[];
  /** Receives one answer completely. @param correction the last message, if it corrects the answer before it */
  readonly send: (messages: readonly Message[], correction?: string) => Promise<Given>;
  /** Gets a notice before the model is asked again. @returns false if it may not be */
  readonly onMismatch: (notice: string) => unknown;
}): Promise<CheckedAnswers<Given>> {
  const earlier: CheckedAnswer<Given>[] = [];
  const { retries = 0 } = check ?? {};
  let next = messages;
  let correction: string | undefined;
  for (let retry = 1; ; retry += 1) {
    const answer = await send(next, correction);
    const { content, received, metadata, failure } = answer;
    // Only a code block may be whole in an answer that the limit of tokens cut.
    const isCut = metadata.finishReason === 'length';
    const isUnchecked = failure !== undefined || (isCut && check?.findEarly === undefined);
    const found = isUnchecked ? undefined : check?.check(content);
    const checked = isCut && !found?.block ? undefined : found;
    const { violations = [], isCorrectable = false } = checked ?? {};
    const mayAsk = isCorrectable && retry <= retries;
    const again = `asking again (${retry} of ${retries})`;
    if (!mayAsk || onMismatch(`${mismatchText(violations)}; ${again}`) === false) {
      return { earlier, last: { answer, checked } };
    }
    earlier.push({ answer, checked });
    correction = undefined;
    // Some services reject an empty message: the same ones are sent again.
    if (content.trim() === '') continue;
    // The names in violations may be secrets, too.
    const shown = received === content ? violations : (check?.check(received).violations ?? []);
    correction = correctionPrompt(shown);
    const last: Message = { role: 'assistant', content: received };
    next = [...next, last, { role: 'user', content: correction }];
  }
}

/** The failure of answers without a value; undefined if the last one has it. */
function failureOf(
  check: AnswerCheck | undefined,
  { answer, checked }: CheckedAnswer,
): Failure | undefined {
  if (answer.failure !== undefined || check === undefined) return answer.failure;
  if (checked !== undefined) return checked.failure;
  const text = 'the answer is incomplete: it reached the token limit (finish_reason length)';
  return new Failure('incomplete', text, { remedy: { code: 'raise-max-tokens' } });
}

/** In the order of the JSON. */
const usageNames = ['prompt_tokens', 'cached_tokens', 'completion_tokens', 'total_tokens'] as const;

/** Joins what is known about all answers to a prompt: the last one, with the tokens, requests and times of all. */
function joinMetadata(parts: readonly AnswerMetadata[], last: AnswerMetadata): AnswerMetadata {
  if (parts.length < 2) return last;
  const usage: Record<string, number> = {};
  for (const name of usageNames) {
    const counts = parts.flatMap((part) => part.usage?.[name] ?? []);
    if (counts.length > 0) usage[name] = counts.reduce((sum, tokens) => sum + tokens);
  }
  // The first prompt that was probably cut.
  const cut = parts.find(({ estimatedPromptTokens }) => estimatedPromptTokens !== undefined);
  const total = parts.reduce((sum, { timing }) => sum + (timing?.total ?? 0), 0);
  return {
    ...last,
    ...definedFields({
      estimatedPromptTokens: cut?.estimatedPromptTokens,
      countedPromptTokens: cut && (cut.usage?.prompt_tokens ?? 0),
      usage: parts.some((part) => part.usage !== undefined) ? usage : undefined,
    }),
    attempts: parts.reduce((sum, { attempts = 1 }) => sum + attempts, 0),
    timing: { ...definedFields({ firstText: parts[0]?.timing?.firstText }), total },
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

/** Joins all answers to a prompt into its result. @param requestedModel is written if the service named no model */
export function resultOf(
  check: AnswerCheck | undefined,
  { earlier, last }: CheckedAnswers,
  requestedModel: string,
) {
  const { checked } = last;
  const { block, found, selected, violations } = checked ?? {};
  const answers = [...earlier, last];
  const all = answers.map(({ answer: { metadata, content }, checked: own }) => ({
    ...fieldsAfterId(metadata, content, requestedModel),
    violations: own?.violations,
  }));
  const fields =
    block === undefined
      ? { violations, checked_answers: earlier.length === 0 ? undefined : all }
      : { code: block?.code ?? null, language: block?.language ?? null };
  const isText = selected?.startsWith('"') === true;
  return {
    failure: failureOf(check, last),
    metadata: joinMetadata(
      answers.map(({ answer }) => answer.metadata),
      last.answer.metadata,
    ),
    /** The value of `--select` (a text without its quotes), else that of the whole answer; undefined without one. */
    value: isText ? (JSON.parse(selected) as string) : (selected ?? found?.text),
    /**
     * What the check adds to the JSON of the answer: `violations`, and `checked_answers` if the model was asked again;
     * with `--extract`, `code` and `language`.
     */
    checked: { fields, withValue: (line) => withValue(line, checked) } satisfies CheckedFields,
  };
}
