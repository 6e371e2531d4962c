import { Failure } from '../../failure.ts';
import { isJsonObject, parseAnyJson } from '../../json.ts';
import { malformedJson } from '../failure/answer-failure.ts';
import { parseErrorBody, readErrorValue } from '../failure/error-body.ts';
import { findError, reportedError } from '../failure/service-failure.ts';
import type { AnswerParts } from './answer-parts.ts';
import { answerChoice, readChunk } from './completion-chunk.ts';
import { createCompletionStream, tooLarge } from './completion-stream.ts';

const field = /^(?:(?:data|event|id|retry)[:\n]|:)/;
const fieldStarts = ['data:', 'event:', 'retry:', 'id:'];

/** The characters of white space after which the content type alone decides. */
const maxBlank = 1024;

function formOfType(contentType = '') {
  const [type = ''] = contentType.trim().toLowerCase().split(/\s*;/, 1);
  if (type === 'text/event-stream') return 'event-stream';
  return type === 'application/json' || type.endsWith('+json') ? 'json' : 'text';
}

/**
 * Detects the form of a body from its first characters. Services send wrong `Content-Type` headers, so the header
 * decides only where the text is ambiguous. Undefined: more text is needed (never if `ended`).
 */
export function bodyForm(
  head: string,
  contentType: string | undefined,
  ended: boolean,
): 'event-stream' | 'json' | 'page' | 'text' | 'empty' | undefined {
  const start = head.trimStart();
  if (start.startsWith('data:')) return 'event-stream';
  if (start === '') {
    if (ended) return 'empty';
    return head.length > maxBlank ? formOfType(contentType) : undefined;
  }
  if (start.startsWith('{') || start.startsWith('[')) return 'json';
  if (start.startsWith('<')) return 'page';
  if (field.test(start)) return 'event-stream';
  const type = formOfType(contentType);
  if (type === 'event-stream') return type;
  if (!ended && fieldStarts.some((name) => name.startsWith(start))) return undefined;
  return start.startsWith('"') ? 'json' : type;
}

/**
 * Adds a whole completion, sent as one JSON body, to `answer`, and finishes it.
 * @throws Failure for an error in that body, or if there is no completion in it.
 */
function takeJsonCompletion(text: string, answer: AnswerParts): void {
  const value = parseAnyJson(text);
  if (value === undefined) {
    throw malformedJson("the service's response is malformed JSON", text.length);
  }
  if (typeof value === 'string' || Array.isArray(value))
    throw reportedError(readErrorValue(value, answer.mask));
  if (isJsonObject(value)) {
    const error = findError(value, answer.mask);
    if (error !== undefined) throw reportedError(error);
    if (answerChoice(value['choices']) !== undefined) {
      answer.add(readChunk(value));
      answer.isFinished = true;
      return;
    }
  }
  throw new Failure('server_error', "the service's response is JSON without a completion", {
    remedy: { code: 'check-base-url' },
  });
}

function createJsonReader(answer: AnswerParts, limit: number) {
  const pieces: string[] = [];
  let length = 0;
  return {
    feed(text: string) {
      pieces.push(text);
      length += text.length;
      if (length > limit) throw tooLarge(limit);
      if (text.trim() !== '') answer.onContent();
    },
    isFull: () => false,
    end: () => takeJsonCompletion(pieces.join(''), answer),
  };
}

/** The characters that are read of a body that is not an answer. */
const maxOther = 64 * 1024;

/** Fails with the title of a page or the first words of a text, sent instead of an answer. */
function createOtherReader(form: 'page' | 'text', mask: AnswerParts['mask']) {
  let body = '';
  function end(): never {
    const { message } = parseErrorBody(body, undefined, mask);
    const what = form === 'page' ? 'a web page' : 'plain text';
    const quote = message === undefined ? '' : `: ${message}`;
    throw new Failure('server_error', `the service sent ${what} instead of an answer${quote}`, {
      remedy: { code: 'check-base-url' },
    });
  }
  return {
    feed: (text: string) => void (body += text),
    isFull: () => body.length > maxOther,
    end,
  };
}

function createReader(
  form: NonNullable<ReturnType<typeof bodyForm>>,
  answer: AnswerParts,
  limit: number,
) {
  if (form === 'event-stream') return createCompletionStream(answer, limit);
  if (form === 'json') return createJsonReader(answer, limit);
  if (form === 'empty') throw new Failure('server_error', 'the service sent an empty answer');
  return createOtherReader(form, answer.mask);
}

/**
 * Reads a body of any form into `answer`. The first characters are held back until the form is clear.
 * @param limit maximum characters in one event or JSON body
 */
export function createBodyReader(
  answer: AnswerParts,
  contentType: string | undefined,
  limit: number,
) {
  let head = '';
  let reader: ReturnType<typeof createReader> | undefined;
  function choose(ended: boolean): void {
    const form = bodyForm(head, contentType, ended);
    if (form === undefined) {
      // Blank lines do not show a form; some services send them to keep a connection alive.
      head = head.replace(/^\s*\n/, '');
      return;
    }
    reader = createReader(form, answer, limit);
    reader.feed(head);
  }
  return {
    feed(text: string): void {
      if (reader !== undefined) {
        reader.feed(text);
        return;
      }
      head += text;
      choose(false);
    },
    /** No more text is needed. */
    isFull: () => reader?.isFull() === true,
    end(): void {
      if (reader === undefined) choose(true);
      reader?.end();
    },
  };
}
