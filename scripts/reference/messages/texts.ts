// The texts that an expression of src can have, with `<name>` for values known only at run time.
import {
  type Declaration,
  isNode,
  nameOf,
  type Node,
  nodeAt,
  nodesAt,
  type Sources,
} from './syntax.ts';

/** Arguments of a call, by the called function. */
export type Bindings = ReadonlyMap<Node, readonly (Node | undefined)[]>;

export interface Scope {
  readonly sources: Sources;
  readonly bindings: Bindings;
  /** Collects each function whose parameters were needed and are not bound. */
  readonly missing?: Set<Node>;
}

/** More variants become one placeholder, to keep a message readable. */
const mostVariants = 12;
const deepest = 12;

/** Functions that only format their argument: `<limit>` is clearer than all values they can return. */
const formatters =
  /^(?:count|countOf|formatLimit|formatWait|localTimeAfter|shownName|String|Number|figuresText|tokenText|seconds)$/;

const words = (name: string) =>
  name.replace(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const isTransparent = ({ type }: Node) =>
  /^(?:TSAsExpression|TSNonNullExpression|TSSatisfiesExpression|ParenthesizedExpression|ChainExpression|AwaitExpression)$/.test(
    type,
  );

/** The placeholder of an expression, named after it. */
function placeholder(node: Node): string {
  const inner = nodeAt(node, 'expression') ?? nodeAt(node, 'argument');
  if (isTransparent(node) && inner !== undefined) return placeholder(inner);
  if (node.type === 'CallExpression') {
    const callee = nodeAt(node, 'callee');
    const [argument] = nodesAt(node, 'arguments');
    const object = callee?.type === 'MemberExpression' ? nodeAt(callee, 'object') : undefined;
    if (object !== undefined && nameOf(object) !== 'JSON' && nameOf(object) !== 'Math') {
      return placeholder(object);
    }
    return argument === undefined ? `<${words(nameOf(callee) ?? 'value')}>` : placeholder(argument);
  }
  if (node.type === 'MemberExpression') {
    const property = nodeAt(node, 'property');
    if (node['computed'] === true || nameOf(property) === 'length') {
      const object = nodeAt(node, 'object');
      const name = object === undefined ? '<value>' : placeholder(object);
      return node['computed'] === true ? name : name.replace('<', '<number of ');
    }
    return `<${words(nameOf(property) ?? 'value')}>`;
  }
  const name = nameOf(node);
  if (node.type === 'Identifier' && name !== undefined) return `<${words(name)}>`;
  if (node.type === 'LogicalExpression' || node.type === 'BinaryExpression') {
    const left = nodeAt(node, 'left');
    return left === undefined ? '<value>' : placeholder(left);
  }
  return '<value>';
}

export const isPlaceholder = (text: string) => /^<[^<>]*>$/.test(text);

/** The expressions that `node` can evaluate to, with names resolved to their declarations. */
function expressions(node: Node, scope: Scope, depth: number): readonly Node[] {
  if (depth > deepest) return [node];
  const inner = nodeAt(node, 'expression');
  if (isTransparent(node) && inner !== undefined) return expressions(inner, scope, depth + 1);
  if (node.type === 'ConditionalExpression') {
    return ['consequent', 'alternate'].flatMap((field) => part(node, field, scope, depth));
  }
  if (node.type === 'LogicalExpression') {
    const right = part(node, 'right', scope, depth);
    return node['operator'] === '&&' ? right : [...part(node, 'left', scope, depth), ...right];
  }
  if (node.type === 'Identifier') {
    const declared = ofDeclaration(scope.sources.declarationOf(node), scope, depth);
    return declared ?? [node];
  }
  if (node.type === 'MemberExpression') return ofMember(node, scope, depth) ?? [node];
  if (node.type === 'CallExpression') return ofCall(node, scope, depth) ?? [node];
  return [node];
}

function part(node: Node, field: string, scope: Scope, depth: number): readonly Node[] {
  const child = nodeAt(node, field);
  return child === undefined ? [] : expressions(child, scope, depth + 1);
}

function ofDeclaration(
  declaration: Declaration | undefined,
  scope: Scope,
  depth: number,
): readonly Node[] | undefined {
  if (declaration === undefined) return undefined;
  if (declaration.type === 'value') return expressions(declaration.node, scope, depth + 1);
  if (declaration.type === 'property') {
    return properties(declaration.of, declaration.name, scope, depth + 1);
  }
  const { owner, index, name } = declaration;
  const argument = scope.bindings.get(owner)?.[index];
  if (argument === undefined) {
    if (!scope.bindings.has(owner)) scope.missing?.add(owner);
    return undefined;
  }
  if (name === undefined) return expressions(argument, scope, depth + 1);
  return properties(argument, name, scope, depth + 1);
}

/** The values of property `name` in the objects that `node` can be; undefined if none is found. */
export function properties(
  node: Node,
  name: string,
  scope: Scope,
  depth = 0,
): readonly Node[] | undefined {
  const found: Node[] = [];
  for (const object of expressions(node, scope, depth + 1)) {
    if (object.type !== 'ObjectExpression') continue;
    for (const property of nodesAt(object, 'properties')) {
      const spread = property.type === 'SpreadElement' ? nodeAt(property, 'argument') : undefined;
      if (spread !== undefined && depth < deepest) {
        found.push(...(properties(spread, name, scope, depth + 1) ?? []));
      }
      const value = nodeAt(property, 'value');
      if (value !== undefined && nameOf(nodeAt(property, 'key')) === name) found.push(value);
    }
  }
  return found.length === 0
    ? undefined
    : found.flatMap((value) => expressions(value, scope, depth + 1));
}

/** The values of an object, or of a `new Map([[key, value], …])`. */
function tableValues(node: Node, scope: Scope, depth: number): readonly Node[] | undefined {
  const values = expressions(node, scope, depth + 1).flatMap((table) => {
    if (table.type === 'ObjectExpression') {
      return nodesAt(table, 'properties').flatMap((property) => nodeAt(property, 'value') ?? []);
    }
    const [entries] = table.type === 'NewExpression' ? nodesAt(table, 'arguments') : [];
    if (entries === undefined) return [];
    return nodesAt(entries, 'elements').flatMap((pair) => nodesAt(pair, 'elements')[1] ?? []);
  });
  if (values.length === 0) return undefined;
  return values.flatMap((value) => expressions(value, scope, depth + 1));
}

function ofMember(node: Node, scope: Scope, depth: number): readonly Node[] | undefined {
  const object = nodeAt(node, 'object');
  if (object === undefined) return undefined;
  if (node['computed'] === true) return tableValues(object, scope, depth + 1);
  const name = nameOf(nodeAt(node, 'property'));
  return name === undefined ? undefined : properties(object, name, scope, depth + 1);
}

function returnsOf(body: Node): readonly Node[] {
  if (body.type !== 'BlockStatement') return [body];
  const visit = (node: unknown): readonly Node[] => {
    if (Array.isArray(node)) return node.flatMap(visit);
    if (!isNode(node) || /Function/.test(node.type)) return [];
    const value = node.type === 'ReturnStatement' ? nodeAt(node, 'argument') : undefined;
    return value === undefined ? Object.values(node).flatMap(visit) : [value];
  };
  return visit(body['body']);
}

function ofCall(node: Node, scope: Scope, depth: number): readonly Node[] | undefined {
  const callee = nodeAt(node, 'callee');
  if (callee === undefined) return undefined;
  const object = nodeAt(callee, 'object');
  if (object !== undefined && nameOf(nodeAt(callee, 'property')) === 'get') {
    return tableValues(object, scope, depth + 1);
  }
  if (callee.type !== 'Identifier' || formatters.test(nameOf(callee) ?? '')) return undefined;
  const declaration = scope.sources.declarationOf(callee);
  if (declaration?.type !== 'value') return undefined;
  const body = nodeAt(declaration.node, 'body');
  if (body === undefined || declaration.node['async'] === true) return undefined;
  const own = { ...scope, missing: new Set<Node>() };
  const values = returnsOf(body).flatMap((value) => expressions(value, own, depth + 1));
  return values.length === 0 ? undefined : values;
}

function product(parts: readonly (readonly string[])[]): readonly string[] {
  return parts.reduce<readonly string[]>(
    (heads, tails) => heads.flatMap((head) => tails.map((tail) => head + tail)),
    [''],
  );
}

/** `1 + line` is a number, not a text. */
const isSum = (node: Node) =>
  ['left', 'right'].some((field) => typeof nodeAt(node, field)?.['value'] === 'number');

/** The plural in `countOf(lines, 'line')`, after a space; empty for other expressions. */
function nounOf(node: Node): string {
  if (node.type !== 'CallExpression' || nameOf(nodeAt(node, 'callee')) !== 'countOf') return '';
  const [, noun] = nodesAt(node, 'arguments');
  const name = noun?.type === 'Literal' ? nameOf(noun) : undefined;
  return name === undefined ? '' : ` ${name}s`;
}

function textsOf(node: Node, scope: Scope, depth: number): readonly string[] {
  if (node.type === 'Literal') return node['value'] === null ? [] : [nameOf(node) ?? ''];
  if (node.type === 'TemplateLiteral') {
    const holes = nodesAt(node, 'expressions').map((hole) => possibleTexts(hole, scope, depth + 1));
    const parts = nodesAt(node, 'quasis').flatMap((quasi, index) => {
      const { cooked } = quasi['value'] as { readonly cooked: string };
      return [[cooked], holes[index] ?? ['']];
    });
    const all = product(parts);
    if (all.length <= mostVariants) return all;
    const few = nodesAt(node, 'expressions').map((hole) => [placeholder(hole)]);
    return product(
      parts.map((one, index) =>
        index % 2 === 1 && one.length > 2 ? (few[(index - 1) / 2] ?? one) : one,
      ),
    ).slice(0, mostVariants);
  }
  if (node.type === 'BinaryExpression' && node['operator'] === '+' && !isSum(node)) {
    return product(
      ['left', 'right'].map((field) => {
        const side = nodeAt(node, field);
        return side === undefined ? [''] : possibleTexts(side, scope, depth + 1);
      }),
    );
  }
  if (node.type === 'Identifier' && node['name'] === 'undefined') return [];
  return [placeholder(node) + nounOf(node)];
}

/** All texts that an expression can have; empty if it is always undefined. */
export function possibleTexts(node: Node, scope: Scope, depth = 0): readonly string[] {
  if (depth > deepest) return [placeholder(node)];
  const values = expressions(node, scope, depth);
  const texts = [...new Set(values.flatMap((value) => textsOf(value, scope, depth + 1)))];
  const known = texts.filter((text) => !isPlaceholder(text));
  if (texts.length > mostVariants || (known.length === 0 && texts.length > 0)) {
    return [placeholder(node)];
  }
  return texts;
}
