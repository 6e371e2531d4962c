// Collects natter's messages from its source: failures with kind and hint, and notices.
import { exitCodes, type FailureKind } from '../../../src/failure.ts';
import { type FailureMessage, remedyHint } from './failure-message.ts';
import { failuresOfRuns } from './runs.ts';
import { nameOf, type Node, nodeAt, nodesAt, type Sources } from './syntax.ts';
import { type Bindings, isPlaceholder, possibleTexts, properties, type Scope } from './texts.ts';

export interface Notice {
  readonly type: 'notice' | 'warning' | 'entry';
  readonly message: string;
}

export interface Messages {
  /** Number of expressions in src that create a failure. */
  readonly sites: number;
  /** Files of those whose message was not found. */
  readonly withoutMessage: readonly string[];
  readonly failures: readonly FailureMessage[];
  readonly notices: readonly Notice[];
}

/** Longest chain of functions that pass a message as an argument. */
const deepest = 3;

/** `Failure` and the classes that extend it. */
function failureClasses({ nodes }: Sources): ReadonlySet<string> {
  const parents = new Map(
    nodes
      .filter(({ type }) => type === 'ClassDeclaration')
      .map((node) => [nameOf(nodeAt(node, 'id')) ?? '', nameOf(nodeAt(node, 'superClass')) ?? '']),
  );
  const isFailure = (name: string): boolean =>
    name === 'Failure' || (parents.has(name) && isFailure(parents.get(name) ?? ''));
  return new Set([...parents.keys()].filter(isFailure));
}

function remedyHints(remedy: Node, scope: Scope): readonly string[] {
  if (remedy.type !== 'ObjectExpression') return [];
  const data: Record<string, string> = {};
  for (const property of nodesAt(remedy, 'properties')) {
    const name = nameOf(nodeAt(property, 'key'));
    const value = nodeAt(property, 'value');
    if (name === undefined || value === undefined || name === 'code') continue;
    const [text = ''] = value.type === 'Literal' ? possibleTexts(value, scope) : [`<${name}>`];
    data[name] = text;
  }
  const codes = (properties(remedy, 'code', scope) ?? []).flatMap((code) =>
    possibleTexts(code, scope),
  );
  return codes.map((code) => remedyHint(code, data)).filter((hint) => hint !== '');
}

function hintsOf(options: Node | undefined, scope: Scope): readonly string[] {
  if (options === undefined) return [];
  const hints = properties(options, 'hint', scope)?.flatMap((hint) => possibleTexts(hint, scope));
  const remedies = properties(options, 'remedy', scope)?.flatMap((one) => remedyHints(one, scope));
  const all = [...(hints ?? []), ...(remedies ?? [])];
  const known = all.filter((hint) => !isPlaceholder(hint));
  return [...new Set(known)];
}

const isKind = (text: string): text is FailureKind => Object.hasOwn(exitCodes, text);

function failuresAt(site: Node, scope: Scope): readonly FailureMessage[] {
  const [kind, message, options] = nodesAt(site, 'arguments');
  if (kind === undefined || message === undefined) return [];
  const kinds = possibleTexts(kind, scope).filter(isKind);
  const hints = hintsOf(options, scope);
  const of = kinds.length === 0 ? [undefined] : [...new Set(kinds)];
  // A message with an empty error code in parentheses cannot occur: a failure without a code has a different message.
  return possibleTexts(message, scope)
    .filter((text) => !text.includes('()'))
    .flatMap((text) => of.map((one) => ({ kind: one, message: text, hints })));
}

/** If callers produce more messages than this, the message with the names of the parameters is clearer. */
const mostExpanded = 10;

/**
 * The findings of `read`, with parameters of the surrounding functions replaced by the texts that their callers pass.
 * Never empty where `read` found something.
 */
function expand<Found extends { readonly message: string }>(
  sources: Sources,
  read: (scope: Scope) => readonly Found[],
  bindings: Bindings = new Map(),
): readonly Found[] {
  const missing = new Set<Node>();
  const found = read({ sources, bindings, missing });
  const owner = [...missing].find((one) => sources.callsOf(one).length > 0);
  if (owner === undefined || bindings.size >= deepest) return found;
  const all = sources.callsOf(owner).flatMap((call) => {
    const next = new Map([...bindings, [owner, nodesAt(call, 'arguments')] as const]);
    return expand(sources, read, next);
  });
  const known = unique(all.filter(({ message }) => !isPlaceholder(message)));
  const isOwnText = found.some(({ message }) => !isPlaceholder(message));
  return known.length === 0 || (isOwnText && known.length > mostExpanded) ? found : known;
}

function unique<Found extends object>(all: readonly Found[]): readonly Found[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

/** The new message in `rephrase(failure, {message})`. */
function rephrasedAt(call: Node, scope: Scope): readonly FailureMessage[] {
  const [, changes] = nodesAt(call, 'arguments');
  if (changes === undefined) return [];
  const messages = properties(changes, 'message', scope) ?? [];
  const [kind] = (properties(changes, 'kind', scope) ?? []).flatMap((one) =>
    possibleTexts(one, scope),
  );
  const of = kind !== undefined && isKind(kind) ? kind : undefined;
  const hints = hintsOf(changes, scope);
  // A plural after 1 cannot occur: the source has a condition for it.
  return messages
    .flatMap((message) => possibleTexts(message, scope))
    .filter((message) => !/\b1 [a-z]+s\b/.test(message))
    .map((message) => ({ kind: of, message, hints }));
}

/** Functions that show one line, and the index of its text among their arguments. */
const noticeFunctions: ReadonlyMap<string, readonly [type: Notice['type'], index: number]> =
  new Map([
    ['notice', ['notice', 0]],
    ['warning', ['warning', 0]],
    ['onWarning', ['warning', 0]],
    ['failureEntry', ['entry', 0]],
    ['refuse', ['entry', 1]],
    ['printNotice', ['entry', 1]],
  ]);

function calledName(call: Node): string | undefined {
  const callee = nodeAt(call, 'callee');
  return nameOf(callee?.type === 'MemberExpression' ? nodeAt(callee, 'property') : callee);
}

/** @throws Error when a function of the table has been renamed */
function checkNoticeFunctions(calls: readonly Node[]): void {
  const called = new Set(calls.map(calledName));
  for (const name of noticeFunctions.keys()) {
    if (!called.has(name)) throw new Error(`no call of ${name} in src`);
  }
}

function noticesAt(call: Node, scope: Scope): readonly Notice[] {
  const [type, index] = noticeFunctions.get(calledName(call) ?? '') ?? [];
  const text = index === undefined ? undefined : nodesAt(call, 'arguments')[index];
  if (type === undefined || text === undefined) return [];
  const file = scope.sources.fileOf(call);
  const shown = file.startsWith('src/repl/') ? 'entry' : type;
  return possibleTexts(text, scope).map((message) => ({ type: shown, message }));
}

const isCallOf = (node: Node, name: string) =>
  node.type === 'CallExpression' && nameOf(nodeAt(node, 'callee')) === name;

/** In the order of the source files. */
export function collectMessages(sources: Sources): Messages {
  const runs = failuresOfRuns();
  const calls = sources.nodes.filter(({ type }) => type === 'CallExpression');
  checkNoticeFunctions(calls);
  const classes = failureClasses(sources);
  const isSite = (node: Node) =>
    node.type === 'NewExpression' && classes.has(nameOf(nodeAt(node, 'callee')) ?? '');
  const made = sources.nodes.filter(isSite).map((site) => {
    const found = expand(sources, (scope) => failuresAt(site, scope));
    return { site, found: runs.get(sources.fileOf(site)) ?? found };
  });
  const changed = calls
    .filter((call) => isCallOf(call, 'rephrase'))
    .flatMap((call) => expand(sources, (scope) => rephrasedAt(call, scope)))
    .filter(({ message }) => !isPlaceholder(message));
  const notices = calls
    .flatMap((call) => expand(sources, (scope) => noticesAt(call, scope)))
    .filter(({ message }) => !isPlaceholder(message));
  return {
    sites: made.length,
    withoutMessage: made
      .filter(({ found }) => found.length === 0)
      .map(({ site }) => sources.fileOf(site)),
    failures: unique([...made.flatMap(({ found }) => found), ...changed]),
    notices: unique(notices),
  };
}
