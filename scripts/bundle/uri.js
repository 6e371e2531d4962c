// Replaces fast-uri in the bundle: what ajv needs to find the schemas that a schema refers to, as RFC 3986 has it.

const syntax =
  /^(?:(?<scheme>[a-z][a-z\d+.-]*):)?(?:\/\/(?<authority>[^/?#]*))?(?<path>[^?#]*)(?:\?(?<query>[^#]*))?(?:#(?<fragment>.*))?$/is;

export function parse(text) {
  return { ...syntax.exec(text).groups };
}

export function serialize({ scheme, authority, path, query, fragment }) {
  const part = (before, value, after) => (value === undefined ? '' : before + value + after);
  const start = part('', scheme, ':') + part('//', authority, '');
  return start + path + part('?', query, '') + part('#', fragment, '');
}

/** A path without `.` and `..` (section 5.2.4). */
function withoutDots(path) {
  const kept = [];
  const segments = path.split('/');
  for (const [index, segment] of segments.entries()) {
    if (segment === '..' && kept.length > 1) kept.pop();
    if (segment !== '.' && segment !== '..') kept.push(segment);
    else if (index === segments.length - 1) kept.push('');
  }
  return kept.join('/');
}

/** The path of a reference, relative to that of its base (section 5.2.3). */
function merged(base, path) {
  if (base.authority !== undefined && base.path === '') return `/${path}`;
  return base.path.slice(0, base.path.lastIndexOf('/') + 1) + path;
}

/** The address of a reference within a base (section 5.2.2). */
export function resolve(baseText, text) {
  const base = parse(baseText);
  const reference = parse(text);
  const { scheme, authority, path } = reference;
  if (scheme !== undefined) return serialize({ ...reference, path: withoutDots(path) });
  if (authority !== undefined) {
    return serialize({ ...reference, scheme: base.scheme, path: withoutDots(path) });
  }
  const place = { ...reference, scheme: base.scheme, authority: base.authority };
  if (path === '') {
    return serialize({ ...place, path: base.path, query: reference.query ?? base.query });
  }
  const target = path.startsWith('/') ? path : merged(base, path);
  return serialize({ ...place, path: withoutDots(target) });
}
