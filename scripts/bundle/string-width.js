const file = /fast-string-truncated-width[\\/]dist[\\/]index\.js$/;
const pattern = /^const (\w+) = (\/.*\\p\{.*\/[a-z]+);$/gm;
const start = 'widthOptions = {}) => {';

/**
 * Compiles the expressions with properties of Unicode when a width is first measured: V8 takes 0.3 ms for them, and most
 * prompts measure none. Fails the build if the code of the package is not as expected.
 */
export function stringWidthBundling() {
  return {
    name: 'string-width-bundling',
    transform(code, id) {
      if (!file.test(id)) return null;
      const found = [...code.matchAll(pattern)];
      if (found.length !== 3 || !code.includes(start)) this.error(`${id} has changed`);
      const compiled = found.map(([, name, expression]) => `${name} ??= ${expression};`);
      const edited = code.replaceAll(pattern, 'let $1;');
      return { code: edited.replace(start, `${start} ${compiled.join(' ')}`), map: null };
    },
  };
}
