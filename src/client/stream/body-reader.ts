import { Failure } from '../../failure.ts';
import type { Answer } from './answer.ts';
import { bodyForm, type BodyForm } from './body-form.ts';
import { completionEvents } from './completion-event.ts';
import { parseErrorBody } from '../failure/error-body.ts';
import { createEventStream, tooLarge } from './event-stream.ts';
import { takeJsonCompletion } from './json-completion.ts';

/** Reads one form of body into an answer; both functions throw Failure. `end` is not called after a failure. */
export interface BodyReader {
  feed(text: string): void;
  end(): void;
}

/** Enough of a body that is no answer to find out what it says. */
const longestStatement = 64 * 1024;

function createEventReader(answer: Answer, limit: number): BodyReader {
  return createEventStream(completionEvents(answer), limit);
}

function createJsonReader(answer: Answer, limit: number): BodyReader {
  const pieces: string[] = [];
  let length = 0;
  return {
    feed(text) {
      pieces.push(text);
      length += text.length;
      if (length > limit) throw tooLarge(limit);
      if (text.trim() !== '') answer.touch();
    },
    end: () => takeJsonCompletion(pieces.join(''), answer),
  };
}

/** A body that is no answer, such as a gateway's page: what it is and its title or first words are told. */
function createStatementReader(form: 'page' | 'text', mask: Answer['mask']): BodyReader {
  let statement = '';
  function end(): never {
    const { message } = parseErrorBody(statement, undefined, mask);
    const what = form === 'page' ? 'a web page' : 'plain text';
    const said = message === undefined ? '' : `: ${message}`;
    throw new Failure('server_error', `the service sent ${what} instead of an answer${said}`, {
      remedy: { code: 'check-base-url' },
    });
  }
  return {
    feed(text) {
      statement += text;
      if (statement.length > longestStatement) end();
    },
    end,
  };
}

function createReader(form: BodyForm, answer: Answer, limit: number): BodyReader {
  if (form === 'event-stream') return createEventReader(answer, limit);
  if (form === 'json') return createJsonReader(answer, limit);
  if (form === 'empty') throw new Failure('server_error', 'the service sent an empty answer');
  return createStatementReader(form, answer.mask);
}

/**
 * Reads text with LF line ends into `answer`, whatever form it has; holds back the first characters until they
 * show which. `limit`: most characters in one event or JSON body.
 */
export function createBodyReader(
  answer: Answer,
  contentType: string | undefined,
  limit: number,
): BodyReader {
  let head = '';
  let reader: BodyReader | undefined;

  function choose(ended: boolean): void {
    const form = bodyForm(head, contentType, ended);
    if (form === undefined) {
      // Blank lines are no part of any form; some services send them to keep a connection alive.
      head = head.replace(/^\s*\n/, '');
      return;
    }
    reader = createReader(form, answer, limit);
    reader.feed(head);
  }

  return {
    feed(text) {
      if (reader !== undefined) {
        reader.feed(text);
        return;
      }
      head += text;
      choose(false);
    },
    end() {
      if (reader === undefined) choose(true);
      reader?.end();
    },
  };
}
