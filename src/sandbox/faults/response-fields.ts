// Fields about the whole response.

import { errorShapeNames } from '../error-shapes.ts';
import { modelShapeNames } from '../model-records.ts';
import { replyNames } from '../replies/reply.ts';
import { fieldsOf } from './fault-field.ts';
import {
  choice,
  wholeNumber,
  cutPlace,
  drip,
  duration,
  headerLine,
  headerValue,
  status,
  anyText,
  toggle,
} from './fault-values.ts';

const reply = fieldsOf('reply');
const response = fieldsOf('response');
const timing = fieldsOf('timing');
const ending = fieldsOf('ending');
const counting = fieldsOf('counting');

export const responseFields = {
  reply: reply(choice(replyNames, 'name'), 'what the answer says'),
  tokens: reply(wholeNumber('n', 1), 'length of the replies `tokens` and `million`'),
  seed: reply(wholeNumber('n', 0), 'another text for the replies `tokens` and `million`'),
  rate: reply(wholeNumber('n', 1), 'events (tokens, unless `split`) a second; default: no pause', {
    aliases: ['tps', 'speed'],
  }),

  status: response(status, 'answers with this status and an error body', { aliases: ['code'] }),
  message: response(anyText('text'), 'message of the error body', { aliases: ['detail'] }),
  'error-shape': response(choice(errorShapeNames, 'shape'), 'form of error bodies', {
    aliases: ['shape'],
  }),
  body: response(anyText('text'), 'answers with exactly this body'),
  headers: response(headerLine, 'adds a header; may be repeated', {
    aliases: ['header'],
    repeatable: true,
  }),
  'content-type': response(
    headerValue('type', 'a media type such as text/plain'),
    'sends this Content-Type',
  ),
  charset: response(headerValue('label', 'a label such as windows-1252'), 'claims this charset'),
  'retry-after': response(
    headerValue('value', 'any header text'),
    'sends this Retry-After unchanged; `date+3`, `rfc850+3` and `asctime+3` become dates; means 429 unless `status` is given',
  ),
  encoding: response(choice(['gzip', 'br', 'deflate']), 'compresses the body'),
  framing: response(
    choice(['chunked', 'close']),
    '`close`: only the end of the connection ends the body',
  ),
  'early-hints': response(toggle, 'sends a 103 response first', { aliases: ['103'] }),
  'models-shape': response(choice(modelShapeNames, 'shape'), 'form of the models list'),
  'no-stream': response(toggle, 'answers with one JSON body even when a stream was requested', {
    aliases: ['json'],
  }),

  delay: timing(duration, 'waits before the headers', {
    bare: 'forever',
    aliases: ['wait', 'latency', 'stall-before', 'timeout'],
  }),
  'stall-after': timing(wholeNumber('n', 0), 'falls silent after n events (half of a JSON body)', {
    bare: '3',
    aliases: ['stall'],
  }),
  'stall-for': timing(duration, 'how long it is silent; default: forever'),
  'keep-alive': timing(duration, 'sends a comment this often while it stalls', { bare: '1000' }),
  drip: timing(drip, 'pauses before each event, or each few bytes', { bare: '50ms' }),

  cut: ending(
    choice(['fin', 'rst', 'end']),
    'ends too early: `fin` closes the connection, `rst` resets it, `end` ends the body properly',
    { bare: 'fin' },
  ),
  'cut-after': ending(cutPlace, 'where the cut happens; default: after 3 events (half a body)', {
    aliases: ['cut-at'],
  }),
  'hold-open': ending(toggle, 'leaves the connection open after the answer'),
  'close-after': ending(toggle, 'closes the connection after the answer, unannounced'),

  times: counting(
    wholeNumber('n', 1),
    'does this n times, then answers properly (a prompt’s group then begins again)',
    { aliases: ['count', 'repeat'] },
  ),
  skip: counting(wholeNumber('n', 0), 'answers n requests properly first'),
  every: counting(wholeNumber('n', 1), 'does this to every n-th request only'),
};
