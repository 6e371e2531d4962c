// What a person waits for: the start, one prompt, and a long answer in a pipe.
import { resolve } from 'node:path';
import {
  alternate,
  bundled,
  compare,
  figure,
  medianOf,
  natter,
  node,
  type Bench,
  type Program,
  type Row,
} from './harness.ts';

const textOf = (chunks: number) => 'abcde '.repeat(chunks);

/** One prompt with settings and journal. natter ends the answer's last line. */
const prompt = (baseUrl: string, chunks: number): Program => {
  return { ...natter(['hi'], baseUrl), expected: `${textOf(chunks)}\n` };
};

/** The same answer with a script of bench/programs. */
const script = (name: 'bare' | 'openai', baseUrl: string, chunks: number): Program => {
  return { name, words: [bundled(`${name}.cjs`), baseUrl], expected: textOf(chunks) };
};

export async function benchStart(bench: Bench): Promise<readonly Row[]> {
  const programs = [node, natter(['--version']), natter(['--help'])];
  const [bare, version, help] = await alternate(bench, programs);
  const against = node.name;
  return [
    { what: 'natter --version', against, ...compare(version, bare, 'wall'), aim: '1.3' },
    { what: 'natter --help', against, ...compare(help, bare, 'wall'), aim: '2.5' },
  ];
}

/** As fast as a public authority, which Node has built in; NODE_EXTRA_CA_CERTS slows the start of Node 20 itself. */
const trusting = { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' };

export async function benchPrompt(bench: Bench): Promise<readonly Row[]> {
  const [plain, secure] = [bench.plain(1), bench.secure(1)];
  const programs = [node, script('bare', plain, 1), prompt(plain, 1)];
  const [empty, bare, one] = await alternate(bench, programs);
  const trust = (program: Program): Program => {
    return { ...program, environment: { ...program.environment, ...trusting } };
  };
  const pair = [script('bare', secure, 1), prompt(secure, 1)].map(trust);
  const [bareSecure, oneSecure] = await alternate(bench, pair);
  return [
    {
      what: 'one prompt',
      against: node.name,
      ...compare(one, empty, 'wall'),
      aim: '3.0 on Node 20, 2.6 on Node 24',
    },
    {
      what: 'first byte over http',
      against: 'bare node:http',
      ...compare(one, bare, 'firstByte'),
      aim: '1.8',
    },
    {
      what: 'first byte over https',
      against: 'bare node:https',
      ...compare(oneSecure, bareSecure, 'firstByte'),
      aim: '1.5',
    },
  ];
}

const chunks = 200_000;

export async function benchStream(bench: Bench): Promise<readonly Row[]> {
  const url = bench.plain(chunks);
  const programs = [
    script('bare', url, chunks),
    script('openai', url, chunks),
    prompt(url, chunks),
  ];
  const few = { ...bench, turns: Math.ceil(bench.turns / 3) };
  const [bare, openai, long] = await alternate(few, programs, true);
  const memory = medianOf(long ?? [], 'memory') / 1000;
  const what = `${chunks.toLocaleString('en-US')} chunks`;
  const [bareName, openaiName] = ['bare node:http', 'openai package'];
  return [
    { what, against: bareName, ...compare(long, bare, 'wall'), aim: '2.0' },
    { what: `${what}, CPU`, against: bareName, ...compare(long, bare, 'cpu'), aim: '-' },
    { what, against: openaiName, ...compare(long, openai, 'wall'), aim: '0.4' },
    { what: `${what}, CPU`, against: openaiName, ...compare(long, openai, 'cpu'), aim: '-' },
    figure(`${what}, peak memory`, `${memory.toFixed(0)} MB`, '90 MB'),
  ];
}

/** The folder of the certificates that the secure service shows. */
export const certificates = resolve('test/support/certificates');
