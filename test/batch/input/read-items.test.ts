import { describe, expect, test } from 'vitest';
import { type InputFormat, type InputItem, parseTemplate } from '../../../src/batch/input/item.ts';
import { readItems } from '../../../src/batch/input/read-items.ts';

interface Input {
  readonly format?: InputFormat;
  readonly template?: string;
  /** In bytes. */
  readonly chunkSize?: number;
}

async function* chunksOf(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string | Uint8Array, input: Input = {}): Promise<readonly InputItem[]> {
  const { format, template, chunkSize = 1 << 20 } = input;
  const options = {
    format,
    template: template === undefined ? undefined : parseTemplate(template),
  };
  const items: InputItem[] = [];
  for await (const item of readItems(chunksOf(Buffer.from(text), chunkSize), options)) {
    items.push(item);
  }
  return items;
}

const user = (content: string) => [{ role: 'user', content }];

/** The prompt or problem of each item. */
const promptsOf = (items: readonly InputItem[]) =>
  items.map(({ content, problem }) => problem ?? content.messages.at(-1)?.content);

describe('prompts in lines', () => {
  test.each([
    ['LF', 'one\ntwo\n', ['one', 'two']],
    ['no last line end', 'one\ntwo', ['one', 'two']],
    ['CRLF', 'one\r\ntwo\r\n', ['one', 'two']],
    ['a byte order mark', '\uFEFFone\ntwo\n', ['one', 'two']],
    ['empty and blank lines', '\n  \none\n\r\n\ntwo\n\n', ['one', 'two']],
    ['nothing', '', []],
    ['only empty lines', '\n\n', []],
    ['a brace that does not begin JSON', '{{ is mustache\n', ['{{ is mustache']],
    ['spaces around, which are kept', '  one \n', ['  one ']],
    ['a NUL', 'a\0b\nc\n', ['contains a NUL byte', 'c']],
  ])('%s', async (_, text, expected) => {
    expect(promptsOf(await read(text))).toEqual(expected);
  });

  test('are numbered without the empty lines, and have their line number', async () => {
    expect(await read('\none\n\ntwo\n')).toEqual([
      { index: 1, line: 2, id: undefined, content: { messages: user('one') } },
      { index: 2, line: 4, id: undefined, content: { messages: user('two') } },
    ]);
  });

  test('do not depend on the size of the chunks', async () => {
    const text = '\uFEFFé\r\n\n日本\n😀 last';
    const whole = await read(text);
    for (const chunkSize of [1, 2, 3, 5]) expect(await read(text, { chunkSize })).toEqual(whole);
  });

  test('that are not UTF-8 do not affect other lines', async () => {
    const text = Buffer.concat([Buffer.from('a\n'), Buffer.from([0xff, 0x0a]), Buffer.from('c\n')]);
    expect(promptsOf(await read(text))).toEqual(['a', 'is not UTF-8', 'c']);
  });

  const wide = (text: string, order: string) => {
    const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
    return order === 'big' ? bytes.swap16() : bytes;
  };

  test.each(['little', 'big'])('in UTF-16 (%s endian) are read', async (order) => {
    const text = 'h\u00e9llo\r\n\n\u65e5\u672c\n\u{1F600} last';
    for (const chunkSize of [1, 2, 3, 5, 1 << 20]) {
      const items = await read(wide(text, order), { chunkSize });
      expect(promptsOf(items)).toEqual(['h\u00e9llo', '\u65e5\u672c', '\u{1F600} last']);
    }
  });

  test.each([
    ['half of a pair', 'a\n\ud83d\nb', ['a', 'is not UTF-16', 'b']],
    ['half of a pair at the end', 'a\n\ud83d', ['a', 'is not UTF-16']],
  ])('that are not UTF-16, with %s, do not affect other lines', async (_, text, expected) => {
    expect(promptsOf(await read(wide(text, 'little'), { chunkSize: 3 }))).toEqual(expected);
  });

  test('in UTF-16 may end in the middle of a unit', async () => {
    const text = Buffer.concat([wide('a\n', 'little'), Buffer.from('b')]);
    expect(promptsOf(await read(text))).toEqual(['a', 'is not UTF-16']);
  });
});

describe('JSON lines', () => {
  test.each<readonly [string, object]>([
    ['{"prompt":"hi"}', { id: undefined, content: { messages: user('hi') } }],
    ['{"id":"a","prompt":"hi"}', { id: 'a', content: { messages: user('hi') } }],
    ['{"id":7,"prompt":"hi"}', { id: '7', content: { messages: user('hi') } }],
    [
      '{"prompt":"hi","model":"nextgen","system":"be brief","max_tokens":5}',
      { content: { messages: user('hi'), model: 'nextgen', system: 'be brief', maxTokens: 5 } },
    ],
    ['{"prompt":"hi","model":null,"id":null}', { content: { messages: user('hi') } }],
    ['{"messages":[{"role":"user","content":"hi"}]}', { content: { messages: user('hi') } }],
    ['{"id":"x"}', { id: 'x', problem: 'has no prompt' }],
  ])('%s', async (line, expected) => {
    const [item] = await read(`${line}\n`, { format: 'jsonl' });
    expect(item).toMatchObject(expected);
  });

  const noList = 'has messages that are not a list of {role, content}';

  test.each([
    ['not json', 'is not JSON at column 1'],
    ['[1]', 'is not a JSON object'],
    ['{}', 'has no prompt'],
    ['{"prompt":""}', 'has a prompt without text'],
    ['{"prompt":5}', 'has a prompt without text'],
    ['{"prompt":"a","messages":[]}', 'has both prompt and messages'],
    ['{"messages":[]}', noList],
    ['{"messages":[{"role":"user"}]}', noList],
    ['{"prompt":"a","model":""}', 'has a model that is not text'],
    ['{"prompt":"a","system":1}', 'has a system prompt that is not text'],
    ['{"prompt":"a","max_tokens":0}', 'has max_tokens that is not a whole number from 1'],
    ['{"prompt":"a","x":1}', 'has the unknown field "x" (use params for other request fields)'],
  ])('%s is an invalid item', async (line, problem) => {
    expect(promptsOf(await read(`${line}\n`, { format: 'jsonl' }))).toEqual([problem]);
  });

  test.each<readonly [string, unknown]>([
    ['"temperature":0.2', { temperature: 0.2 }],
    ['"params":{"top_p":0.5,"mirostat":2}', { top_p: 0.5, mirostat: 2 }],
    ['"seed":7,"params":{"x":null}', { x: null, seed: 7 }],
    ['"temperature":null,"params":null', undefined],
    ['"stop":["a","b"],"user":"ada"', { stop: ['a', 'b'], user: 'ada' }],
  ])('X12: %s is sent', async (fields, params) => {
    const [item] = await read(`{"prompt":"hi",${fields}}\n`, { format: 'jsonl' });
    expect(item?.content?.params).toEqual(params);
  });

  test.each([
    ['"temprature":1', 'has the unknown field "temprature"'],
    ['"stream":true', 'has the unknown field "stream"'],
    ['"__proto__":{"a":1}', 'has the unknown field "__proto__"'],
    ['"params":[1]', 'has params that is not a JSON object'],
    ['"params":{"model":"x"}', 'has "model" in params, which cannot be set there'],
    ['"params":{"__proto__":1}', 'has "__proto__" in params, which cannot be set there'],
    ['"top_p":1,"params":{"top_p":0}', 'has top_p both as a field and in params'],
    // A number that cannot be sent unchanged.
    ['"seed":12345678901234567890', 'has the number 12345678901234567890 in "seed"'],
    ['"params":{"x":[1e400]}', 'has the number 1e400 in "params"'],
    ['"id":9007199254740993', 'has the number 9007199254740993 in "id"'],
  ])('X12, X14: %s is refused, naming the field', async (fields, problem) => {
    const [item] = await read(`{"prompt":"hi",${fields}}\n`, { format: 'jsonl' });
    expect(item?.problem).toContain(problem);
  });

  test('X14: an inexact number is refused only if the template uses it', async () => {
    const text = '{"tweet":12345678901234567890,"text":"hi"}\n';
    const sent = async (template: string) => promptsOf(await read(text, { template }));
    expect(await sent('Sum up {{text}}')).toEqual(['Sum up hi']);
    const problem = 'has the number 12345678901234567890 in "tweet", which natter cannot send';
    expect(await sent('Find {{tweet}}')).toEqual([`${problem} unchanged`]);
  });

  test('are recognised by the first line', async () => {
    expect(promptsOf(await read('\n{"prompt":"a"}\nb\n'))).toEqual([
      'a',
      'is not JSON at column 1',
    ]);
  });

  test('that repeat an id name the line of the first', async () => {
    const items = await read('{"id":"a","prompt":"x"}\n\n{"id":"a","prompt":"y"}\n');
    expect(promptsOf(items)).toEqual(['x', 'repeats the id "a" of line 1']);
  });

  test('fill a template with their fields', async () => {
    const template = 'Sum up {{title}}: {{ body }}';
    const text = '{"title":"T","body":{"a":1},"model":"car","id":"x"}\n{"title":"U"}\n';
    const items = await read(text, { template });
    expect(items[0]).toMatchObject({ id: 'x', content: { messages: user('Sum up T: {"a":1}') } });
    expect(items[0]?.content?.model).toBeUndefined();
    expect(items[1]?.problem).toBe('has no "body", required by the template');
  });

  test('do not use inherited properties as fields', async () => {
    const items = await read('{"a":1}\n', { template: '{{constructor}}' });
    expect(items[0]?.problem).toBe('has no "constructor", required by the template');
  });
});

describe('OpenAI batch requests', () => {
  const request = (fields: object) =>
    JSON.stringify({
      custom_id: 'r1',
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'm', messages: user('hi') },
      ...fields,
    });
  const readRequest = async (fields: object) => (await read(`${request(fields)}\n`))[0];

  test('are recognised without a format, and keep every field of the body', async () => {
    const body = {
      model: 'nextgen',
      messages: user('hi'),
      max_tokens: 5,
      stream: false,
      temperature: 0,
      vendor_field: { a: [1] },
    };
    expect(await readRequest({ body })).toEqual({
      index: 1,
      line: 1,
      id: 'r1',
      content: {
        messages: user('hi'),
        model: 'nextgen',
        maxTokens: 5,
        stream: false,
        params: { temperature: 0, vendor_field: { a: [1] } },
      },
    });
  });

  test('may have messages with parts, and an absolute url', async () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
    const item = await readRequest({
      url: 'https://x.example/openai/v1/chat/completions?v=2',
      body: { messages },
    });
    expect(item?.content).toEqual({ messages });
  });

  test.each([
    [{ method: 'GET' }, 'has a method other than "POST"'],
    [{ url: '/v1/embeddings' }, 'has a url other than "/v1/chat/completions"'],
    [{ custom_id: 7 }, 'has no custom_id'],
    [{ body: 'x' }, 'has no body that is a JSON object'],
    [{ body: { model: 'm' } }, 'has a body without messages, a list of {role, content}'],
    [{ body: { messages: user('x'), stream: 1 } }, 'has stream that is neither true nor false'],
    [{ body: { messages: user('x'), model: 7 } }, 'has a model that is not text'],
  ])('with %j are invalid items', async (fields, problem) => {
    expect((await readRequest(fields))?.problem).toContain(problem);
  });

  test('X14: with a number that cannot be sent unchanged are invalid items', async () => {
    const [item] = await read(request({}).replace('"m"', '"m","seed":12345678901234567890'));
    expect(item?.problem).toContain('has the number 12345678901234567890 in "body"');
  });
});

describe('tables', () => {
  const csv = (text: string, template?: string) =>
    read(text, { format: 'csv', ...(template === undefined ? {} : { template }) });

  test('fill a template, but not the placeholders in values', async () => {
    const items = await csv('id,text\nr1,"good, {{id}}"\nr2,bad\n', 'Mood of {{text}} ({{id}})');
    expect(promptsOf(items)).toEqual(['Mood of good, {{id}} (r1)', 'Mood of bad (r2)']);
    expect(items.map(({ id }) => id)).toEqual(['r1', 'r2']);
  });

  test('with the column prompt need no template', async () => {
    const [item] = await csv('prompt,model,max_tokens\nhi,nextgen,7\n');
    expect(item?.content).toEqual({ messages: user('hi'), model: 'nextgen', maxTokens: 7 });
  });

  test('X12: can have columns that natter does not know', async () => {
    const [item] = await csv('prompt,temperature,category\nhi,0.2,greeting\n');
    expect(item?.content).toEqual({ messages: user('hi') });
  });

  test('ignore empty cells', async () => {
    const [item] = await csv('prompt,model,max_tokens\nhi,,\n');
    expect(item?.content).toEqual({ messages: user('hi') });
  });

  test('skip blank rows, and count a row of several lines once', async () => {
    const items = await csv('prompt\n\n"a\nb"\n\nc\n');
    expect(items.map(({ index, line }) => [index, line])).toEqual([
      [1, 3],
      [2, 6],
    ]);
  });

  test('report rows with too few or too many fields', async () => {
    const items = await csv('prompt,x\na\nb,1\nc,2,3\n');
    expect(promptsOf(items)).toEqual([
      'has 1 field, but the header has 2',
      'b',
      'has 3 fields, but the header has 2',
    ]);
  });

  test.each([
    ['text\nhi\n', undefined, 'the table has no column "prompt"'],
    ['text\nhi\n', '{{body}}', '"body" in the template is not a column'],
    ['a,a\n1,2\n', '{{a}}', 'the table header has "a" twice'],
  ])('with an unusable header are refused: %j', async (text, template, message) => {
    await expect(csv(text, template)).rejects.toMatchObject({ kind: 'usage', message });
  });

  test.each([
    ['semicolons', 'id;prompt\n1;"a; b, c"\n', 'a; b, c'],
    ['tabs', 'id\tprompt\n1\ta, b\n', 'a, b'],
    ['commas, and semicolons inside quotes', '"a;b;c",prompt\n1,x\n', 'x'],
    ['one column', 'prompt\na; b\n', 'a; b'],
  ])('are read with %s', async (_, text, prompt) => {
    expect(promptsOf(await csv(text))).toEqual([prompt]);
  });

  test('keep the row as it is in the input', async () => {
    const [item] = await csv('id;prompt\n1;a\n');
    expect(item?.row).toEqual({ header: ['id', 'prompt'], cells: ['1', 'a'], delimiter: ';' });
  });

  test('with tabs are read as TSV', async () => {
    expect(promptsOf(await read('prompt\tx\na, b\t1\n', { format: 'tsv' }))).toEqual(['a, b']);
  });
});

test('the input is closed when only its first item is read', async () => {
  let isClosed = false;
  async function* source() {
    try {
      yield Buffer.from('one\ntwo\n');
    } finally {
      isClosed = true;
    }
  }
  const items = readItems(source(), { format: undefined, template: undefined });
  expect((await items.next()).value).toMatchObject({ index: 1 });
  await items.return();
  expect(isClosed).toBe(true);
});
