/** Values for placeholders, by the last word of their name. */
const samples: Readonly<Record<string, string>> = {
  file: 'notes.txt',
  path: '/home/ada/notes.txt',
  name: 'notes.txt',
  model: 'origin',
  code: 'ECONNREFUSED',
  target: 'api.example.com:443',
  place: 'api.example.com:443',
  host: 'api.example.com',
  hostname: 'api.example.com',
  proxy: 'http://proxy.example.com:3128',
  variable: 'HTTPS_PROXY',
  status: '503',
  message: 'the service failed (503)',
  reason: 'permission denied',
  problem: 'is not a URL',
  limit: '30 seconds',
  seconds: '120',
  time: '14:30:00',
  id: 'mxw4',
  profile: 'work',
  option: '--file',
  port: '8080',
  line: '12',
  size: '12 MB',
  window: '128,000',
  estimate: '130,000',
  version: '2',
  text: 'tea',
  word: 'tea',
  label: 'origin',
  length: '20',
  attempts: '5',
  url: 'https://api.example.com',
  address: 'https://api.example.com',
  output: 'results.jsonl',
  setting: 'max-tokens',
  holder: 'process 4711',
  value: '7',
  count: '3',
  hits: '3',
  number: '3',
  column: 'text',
  command: 'natter compare',
  already: '20',
  tokens: '~1,200 tokens',
  index: '7',
  total: '100',
  sendable: '80',
  failed: '2',
  source: 'standard input',
  elapsed: '12 s',
  title: 'tea',
  lower: 'x-name',
  error: 'permission denied',
  item: '3',
  prompt: 'why is the sky blue?',
  typed: 'notes.txt',
  first: '12',
  expected: 'a whole number, 1 or more',
  cause: 'the service failed (503)',
  since: '2026-11-22T12:00:00.000Z',
  offset: '12',
  method: 'GET',
  encoding: 'utf-16le',
  larger: 'nextgen',
  switch: '-m',
  byte: '40,000,000',
  minute: '5',
  theme: 'dark',
  environment: 'EDITOR',
  summary: 'the service failed',
  format: 'a PDF document',
  converter: 'pdftotext FILE -',
};

function sampleOf(name: string): string {
  if (name.startsWith('number of')) return '3';
  const last = name.toLowerCase().split(' ').at(-1) ?? '';
  return samples[last] ?? samples[last.replace(/s$/, '')] ?? '…';
}

/** What follows the count in a text that has a singular form: `<count> item`, `<sent> of <total> item`. */
const singular =
  /^(?: of <[\w ]+>)? (?:answer|attempt|conversation|file|hit|item|line|model|prompt|turn)\b/;

function filled(text: string): string {
  return text.replace(/<([a-z][\w ]*)>/g, (match, name: string, at: number) => {
    const sample = sampleOf(name);
    const isOne = /^[\d,]+$/.test(sample) && singular.test(text.slice(at + match.length));
    return isOne ? '1' : sample;
  });
}

/** The message with sample values; empty for a message without placeholders. */
export function exampleOf(message: string, hint: string): string {
  const all = hint === '' ? message : `${message}\n${hint}`;
  return filled(all) === all ? '' : filled(all);
}
