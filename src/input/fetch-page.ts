import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { Parser } from 'htmlparser2';
import { isLoopbackName } from '../address.ts';
import { parseUrl } from '../client/http/base-url.ts';
import { nodeNetwork } from '../client/http/node-network.ts';
import { createRoute } from '../client/http/route.ts';
import type { HttpResponse, OpenNetwork } from '../client/http/transport.ts';
import { startTimer } from '../clock.ts';
import { collectBytes } from './attach-files.ts';
import type { AttachedFile } from '../conversation/compose-prompt.ts';
import { decodeText } from '../conversation/decode-text.ts';
import { Failure } from '../failure.ts';
import type { Context } from '../run.ts';
import { maskUrl } from '../secrets/mask.ts';

const privateAddresses = new BlockList();

// Special-purpose addresses (RFC 6890) that reach this machine or its network. Node compares the IPv4 address of a mapped
// one; a translated one (::ffff:0:10.0.0.1) is refused.
const privateNetworks =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 ' +
  '192.168.0.0/16 198.18.0.0/15 224.0.0.0/3 ::/127 ::ffff:0:0:0/96 fc00::/7 fe80::/10 ff00::/8';

for (const network of privateNetworks.split(' ')) {
  const [address = '', prefix] = network.split('/');
  privateAddresses.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

const isPrivateAddress = (address: string) =>
  privateAddresses.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** The addresses of a host name; none if it has none, or if only a proxy can look it up. */
export type LookUp = (name: string) => Promise<readonly string[]>;

// The request reports a name that does not exist.
const lookUpAddresses: LookUp = (name) =>
  lookup(name, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [],
  );

/** Whether a host is this machine or in a private network. @param hostname of a URL */
async function isPrivateHost(hostname: string, lookUp: LookUp): Promise<boolean> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isLoopbackName(host)) return true;
  if (isIP(host) !== 0) return isPrivateAddress(host);
  return (await lookUp(host)).some(isPrivateAddress);
}

interface FetchOptions {
  readonly context: Context;
  readonly signal: AbortSignal;
  readonly network?: OpenNetwork;
  readonly lookUp?: LookUp;
}

/** Decoded bytes. */
const maxBytes = 10_000_000;
/** Milliseconds for everything. */
const timeLimit = 30_000;
const maxRedirects = 5;

const textTypes =
  /^(?:text\/.+|image\/svg\+xml|application\/(?:.+\+)?(?:json|xml)|application\/(?:x-)?(?:javascript|jsonl|ndjson|sh|sql|toml|yaml))$/;

const accept = 'text/plain, text/markdown, text/html;q=0.9, application/json;q=0.9, text/*;q=0.8';

/** @throws Failure `usage` for an address that is not fetched */
function checkUrl(url: URL): URL {
  if (url.protocol !== 'https:') {
    throw new Failure('usage', 'only https addresses are fetched', {
      hint: 'use https, or download the text with a different program and pipe it in',
    });
  }
  if (url.username === '' && url.password === '') return url;
  throw new Failure('usage', 'the address contains a user name or password', {
    hint: 'download the text with a different program and pipe it in',
  });
}

/** The charset of the header, else of the `meta` element of a page. */
function charsetOf(contentType: string, bytes: Uint8Array, isHtml: boolean): string | undefined {
  const named = /;\s*charset="?(?<label>[\w.:-]+)/i.exec(contentType)?.groups?.['label'];
  if (named !== undefined || !isHtml) return named;
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  return /<meta[^>]+charset\s*=\s*["']?(?<label>[\w.:-]+)/i.exec(start)?.groups?.['label'];
}

/** Elements whose text is not shown to a reader. */
const unread = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object']);

/** Elements with a blank line before and after them. */
const paragraphs = new Set(
  'article blockquote dl figure h1 h2 h3 h4 h5 h6 hr ol p pre section table title ul'.split(' '),
);

/** Elements that begin and end a line. */
const lines = new Set(
  'address aside body br dd details div dt fieldset figcaption footer form header li main nav option summary tr'.split(
    ' ',
  ),
);

/** The text that a page shows, with headings and lists as in Markdown; scripts, styles and links are removed. */
function htmlToText(html: string): string {
  const written: string[] = [];
  let hidden = 0;
  let preformatted = 0;
  /** The line ends, and whether there is a space, before the next text. */
  let breaks = 0;
  let isSpaced = false;
  function breakLines(element: string): void {
    breaks = Math.max(breaks, paragraphs.has(element) ? 2 : lines.has(element) ? 1 : 0);
  }
  function write(text: string, isKept = false): void {
    const spaced = text.replaceAll(/[ \t\r\n\f]+/g, ' ');
    const body = isKept ? text : spaced.replaceAll(/^ | $/g, '');
    isSpaced ||= !isKept && spaced.startsWith(' ');
    if (body === '') return;
    const space = isSpaced ? ' ' : '';
    if (written.length > 0) written.push(breaks > 0 ? '\n'.repeat(breaks) : space);
    written.push(body);
    breaks = 0;
    isSpaced = !isKept && spaced.endsWith(' ');
  }
  const parser = new Parser({
    onopentag(name, { alt = '' }) {
      if (unread.has(name)) hidden += 1;
      if (hidden > 0) return;
      breakLines(name);
      if (name === 'pre') preformatted += 1;
      if (name === 'td' || name === 'th') write(' ');
      if (name === 'img' && alt !== '') write(`[${alt}]`);
      if (name === 'li') write('- ');
      if (/^h[1-6]$/.test(name)) write(`${'#'.repeat(Number(name[1]))} `);
    },
    ontext(text) {
      if (hidden === 0) write(text, preformatted > 0);
    },
    onclosetag(name) {
      if (unread.has(name)) hidden -= 1;
      else if (hidden === 0) {
        if (name === 'pre') preformatted -= 1;
        breakLines(name);
      }
    },
  });
  parser.end(html);
  return `${written.join('').trimEnd()}\n`;
}

async function textOf(response: HttpResponse): Promise<string> {
  const contentType = response.headers['content-type'] ?? 'text/plain';
  const type = contentType.replace(/;.*/s, '').trim().toLowerCase();
  const stop = (problem: string) => {
    const failure = new Failure('usage', problem);
    response.destroy(failure);
    return failure;
  };
  if (!textTypes.test(type)) throw stop(`it is ${type}, not text`);
  const refuse = () => stop('it is larger than 10 MB');
  const bytes = await collectBytes(response.body, maxBytes, refuse);
  if (bytes.includes(0) && !/utf-?16/i.test(contentType)) {
    throw new Failure('usage', `it is ${type}, but its bytes are binary`);
  }
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml';
  const encoding = charsetOf(contentType, bytes, isHtml);
  const text = decodeText(bytes, { source: 'its text', encoding, lossy: true });
  return isHtml ? htmlToText(text) : text;
}

/** The address of a redirect. @throws Failure for one that natter does not follow */
async function redirectOf(
  { headers: { location } }: HttpResponse,
  from: URL,
  lookUp: LookUp,
): Promise<URL> {
  const to = parseUrl(location ?? '', from);
  if (location === undefined || to?.protocol !== 'https:') {
    const shown = maskUrl(location ?? 'nowhere');
    const text = `the server redirects to ${shown}, which is not an https address`;
    throw new Failure('unreachable', text);
  }
  checkUrl(to);
  const isPublic = !(await isPrivateHost(to.hostname, lookUp));
  // A page of this network may lead to another one of it.
  if (isPublic || (await isPrivateHost(from.hostname, lookUp))) return to;
  const text = `the server redirects to ${to.host}, an address of this machine or of a private network`;
  const hint = 'attach that address itself, if it is the one you want';
  throw new Failure('unreachable', text, { hint });
}

async function follow(start: URL, options: FetchOptions, signal: AbortSignal): Promise<string> {
  const { context, lookUp = lookUpAddresses } = options;
  const { clock, environment, version } = context;
  const limits = { connectTimeout: timeLimit, firstByteTimeout: timeLimit };
  let url = start;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const network = (options.network ?? nodeNetwork)(createRoute(url, environment), limits, clock);
    try {
      const headers = { accept, 'user-agent': `natter/${version}` };
      const response = await network.send({ method: 'GET', url, headers }, signal);
      const { status } = response;
      if (status === 200) return await textOf(response);
      if (![301, 302, 303, 307, 308].includes(status)) {
        const kind = status === 404 || status === 410 ? 'not_found' : 'unreachable';
        throw new Failure(kind, `the server responded with HTTP status ${status}`);
      }
      response.destroy(new Error('redirected'));
      url = await redirectOf(response, url, lookUp);
    } finally {
      network.close();
    }
  }
  throw new Failure('unreachable', `the server redirects more than ${maxRedirects} times`);
}

/**
 * Fetches the text of an https address, without any key or cookie.
 * @throws Failure; the signal's reason
 */
export async function fetchPage(name: string, options: FetchOptions): Promise<AttachedFile> {
  const controller = new AbortController();
  const tooSlow = new Failure('unreachable', 'it was not complete within 30 seconds');
  const stopTimer = startTimer(options.context.clock, timeLimit, () => controller.abort(tooSlow));
  const signal = AbortSignal.any([options.signal, controller.signal]);
  try {
    const url = parseUrl(name);
    if (url === undefined) throw new Failure('usage', 'it is not a URL');
    const content = await follow(checkUrl(url), options, signal);
    if (content.trim() === '') throw new Failure('usage', 'it has no text');
    return { name, content };
  } finally {
    stopTimer();
  }
}
