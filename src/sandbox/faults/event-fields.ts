// What the event stream looks like: fields about single events, mostly what the contract leaves open.

import { malformedKinds } from '../answers/malformed-events.ts';
import { fieldsOf } from './fault-field.ts';
import { anyText, choice, split, toggle, wholeNumber } from './fault-values.ts';

/** They are built in memory. */
const mostRepeats = 10_000;

const events = fieldsOf('events');

export const eventFields = {
  'malformed-at': events(wholeNumber('n', 1), 'corrupts event n', {
    bare: '3',
    aliases: ['malformed'],
  }),
  'malformed-as': events(choice(malformedKinds, 'kind'), 'how it is corrupted'),
  'error-at': events(wholeNumber('n', 1), 'sends an error in place of event n and ends', {
    bare: '3',
    aliases: ['error-event', 'error'],
  }),
  'error-as': events(
    choice(['data', 'event']),
    'the error is plain data (default) or an `event: error`',
  ),
  'no-done': events(toggle, 'leaves out `data: [DONE]`'),
  'finish-reason': events(anyText('word'), 'sends this finish_reason', { aliases: ['finish'] }),
  'no-finish-reason': events(toggle, 'leaves out the finish_reason', { aliases: ['no-finish'] }),
  usage: events(
    choice(['none', 'finish', 'last', 'every']),
    'where usage is: nowhere, with the finish_reason (default), in a chunk of its own without choices, in every chunk',
  ),
  'after-done': events(toggle, 'sends one more chunk after `[DONE]`'),
  unterminated: events(toggle, 'the last event has no line end'),
  split: events(split, 'cuts deltas or writes anywhere, inside a surrogate pair too'),
  hostile: events(toggle, 'adds terminal escape sequences to the text'),
  'line-ending': events(choice(['lf', 'crlf', 'cr', 'mixed']), 'line ends of the stream', {
    aliases: ['eol'],
  }),
  bom: events(wholeNumber('n', 1, mostRepeats), 'starts the stream with n byte order marks', {
    bare: '1',
  }),
  comments: events(wholeNumber('n', 1, mostRepeats), 'sends n comment lines before each event', {
    bare: '1',
  }),
  'data-spaces': events(wholeNumber('n', 0, mostRepeats), 'spaces after `data:`; default: 1'),
  'data-lines': events(toggle, 'spreads each JSON over several data lines'),
  'extra-fields': events(toggle, 'adds id, retry, event and unknown lines to each event'),
  role: events(
    choice(['first', 'every', 'null', 'empty', 'none']),
    'role in a chunk of its own, in every delta, null, empty or nowhere; default: in the first delta',
    { bare: 'first' },
  ),
  'empty-choices': events(toggle, 'begins with a chunk without choices'),
  'odd-chunks': events(
    toggle,
    'begins with chunks without text: delta missing or null, content null or empty, another choice, tool calls',
  ),
  reasoning: events(
    choice(['reasoning', 'reasoning_content']),
    'sends reasoning text first, in this field',
    { bare: 'reasoning_content' },
  ),
  refusal: events(toggle, 'sends a refusal in place of the text'),
};
