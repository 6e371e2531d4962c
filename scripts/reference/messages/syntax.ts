// The syntax trees of src, and the declarations of the names in them.
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** A node of an ESTree; its fields depend on its type. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** The origin of a name's value: an expression, a parameter, or a property of a destructured expression. */
export type Declaration =
  | { readonly type: 'value'; readonly node: Node }
  | { readonly type: 'property'; readonly of: Node; readonly name: string }
  | {
      readonly type: 'parameter';
      readonly owner: Node;
      readonly index: number;
      readonly name?: string;
    };

export interface Sources {
  /** Every node, in the order of files and of the text. */
  readonly nodes: readonly Node[];
  /** Path of the file, with `/`. */
  fileOf(node: Node): string;
  declarationOf(identifier: Node): Declaration | undefined;
  /** Calls of a function that is declared with a name. */
  callsOf(owner: Node): readonly Node[];
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

export function nodeAt(node: Node, field: string): Node | undefined {
  const value = node[field];
  return isNode(value) ? value : undefined;
}

export function nodesAt(node: Node, field: string): readonly Node[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function nameOf(node: Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (typeof node['name'] === 'string') return node['name'];
  return node.type === 'Literal' ? String(node['value']) : undefined;
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) return filesIn(path);
      return /\.tsx?$/.test(entry.name) ? [path] : [];
    });
}

/** Whether a pattern binds the whole value or one property of it to `name`. */
function bound(
  pattern: Node | undefined,
  name: string,
): 'all' | { readonly key: string } | undefined {
  if (pattern === undefined) return undefined;
  if (pattern.type === 'Identifier') return pattern['name'] === name ? 'all' : undefined;
  if (pattern.type === 'AssignmentPattern') return bound(nodeAt(pattern, 'left'), name);
  if (pattern.type !== 'ObjectPattern') return undefined;
  for (const property of nodesAt(pattern, 'properties')) {
    const key = nameOf(nodeAt(property, 'key'));
    if (key !== undefined && bound(nodeAt(property, 'value'), name) !== undefined) return { key };
  }
  return undefined;
}

const isFunction = ({ type }: Node) =>
  ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(type);

function inParameters(owner: Node, name: string): Declaration | undefined {
  for (const [index, parameter] of nodesAt(owner, 'params').entries()) {
    const found = bound(parameter, name);
    if (found === 'all') return { type: 'parameter', owner, index };
    if (found !== undefined) return { type: 'parameter', owner, index, name: found.key };
  }
  return undefined;
}

function inStatement(statement: Node, name: string): Declaration | undefined {
  const inner = nodeAt(statement, 'declaration') ?? statement;
  if (inner.type === 'FunctionDeclaration' && nameOf(nodeAt(inner, 'id')) === name) {
    return { type: 'value', node: inner };
  }
  for (const declarator of nodesAt(inner, 'declarations')) {
    const found = bound(nodeAt(declarator, 'id'), name);
    const value = nodeAt(declarator, 'init');
    if (found === undefined || value === undefined) continue;
    if (found === 'all') return { type: 'value', node: value };
    return { type: 'property', of: value, name: found.key };
  }
  return undefined;
}

/** The file and the original name of what `program` imports as `name`. */
function importOf(program: Node, file: string, name: string) {
  for (const statement of nodesAt(program, 'body')) {
    const source = nameOf(nodeAt(statement, 'source'));
    if (statement.type !== 'ImportDeclaration' || source?.startsWith('.') !== true) continue;
    const found = nodesAt(statement, 'specifiers').find(
      (specifier) => nameOf(nodeAt(specifier, 'local')) === name,
    );
    if (found === undefined) continue;
    const imported = nameOf(nodeAt(found, 'imported')) ?? name;
    return { file: posix.join(posix.dirname(file), source), name: imported };
  }
  return undefined;
}

interface Parsed {
  readonly programs: ReadonlyMap<string, Node>;
  readonly files: ReadonlyMap<Node, string>;
  readonly parents: ReadonlyMap<Node, Node>;
  readonly nodes: readonly Node[];
}

function parseFiles(folder: string): Parsed {
  const programs = new Map<string, Node>();
  const files = new Map<Node, string>();
  const parents = new Map<Node, Node>();
  const nodes: Node[] = [];
  const visit = (node: Node, file: string): void => {
    files.set(node, file);
    nodes.push(node);
    for (const child of childrenOf(node)) {
      parents.set(child, node);
      visit(child, file);
    }
  };
  for (const file of filesIn(folder)) {
    const program: unknown = parseAst(readFileSync(file, 'utf8'), {
      lang: file.endsWith('x') ? 'tsx' : 'ts',
    });
    if (!isNode(program)) continue;
    programs.set(file, program);
    visit(program, file);
  }
  return { programs, files, parents, nodes };
}

function inModule(parsed: Parsed, file: string, name: string): Declaration | undefined {
  const program = parsed.programs.get(file);
  if (program === undefined) return undefined;
  for (const statement of nodesAt(program, 'body')) {
    const found = inStatement(statement, name);
    if (found !== undefined) return found;
  }
  const origin = importOf(program, file, name);
  return origin && inModule(parsed, origin.file, origin.name);
}

function findDeclaration(parsed: Parsed, identifier: Node): Declaration | undefined {
  const name = nameOf(identifier) ?? '';
  const { parents, files } = parsed;
  for (let at = parents.get(identifier); at !== undefined; at = parents.get(at)) {
    const parameter = isFunction(at) ? inParameters(at, name) : undefined;
    if (parameter !== undefined) return parameter;
    if (at.type !== 'BlockStatement') continue;
    for (const statement of nodesAt(at, 'body')) {
      const found = inStatement(statement, name);
      if (found !== undefined) return found;
    }
  }
  return inModule(parsed, files.get(identifier) ?? '', name);
}

function findCalls(parsed: Parsed): ReadonlyMap<Node, readonly Node[]> {
  const found = new Map<Node, Node[]>();
  for (const node of parsed.nodes) {
    const callee = node.type === 'CallExpression' ? nodeAt(node, 'callee') : undefined;
    if (callee?.type !== 'Identifier') continue;
    const declaration = findDeclaration(parsed, callee);
    if (declaration?.type !== 'value') continue;
    found.set(declaration.node, [...(found.get(declaration.node) ?? []), node]);
  }
  return found;
}

/** Parses every file of `folder`. */
export function readSources(folder = 'src'): Sources {
  const parsed = parseFiles(folder);
  const calls = findCalls(parsed);
  return {
    nodes: parsed.nodes,
    fileOf: (node) => parsed.files.get(node) ?? '',
    declarationOf: (identifier) => findDeclaration(parsed, identifier),
    callsOf: (owner) => calls.get(owner) ?? [],
  };
}
