const declaration = 'const require_rolldown_runtime = require("./rolldown-runtime.cjs");';
const exportAll =
  'const exportAll = (all) => { const target = {}; for (const name in all) Object.defineProperty(target, name, { get: all[name], enumerable: true }); return target; };';

const imported =
  /^(let (\w+) = require\("(?:node:)?\w+"\);\n)\2 = require_rolldown_runtime\.\w+\(\2, 1\);$/gm;
const importedLater = /require_rolldown_runtime\.\w+\((require\("node:\w+"\)), 1\)/g;
const namespace = /require_rolldown_runtime\.\w+\(\{/g;

const getter =
  /^Object\.defineProperty\(exports, "(\w+)", \{\n.*\n.*\n +return ([\w$]+);\n {2}\}\n\}\);$/gm;
const constant = /^(?:(?:async )?function\*? |class |const |var (?=[\w$]+ = class\b))([\w$]+)/gm;

/** Exports as values what is never assigned again: getters take more space, and a function each. */
function exportValues(code) {
  const constants = new Set([...code.matchAll(constant)].map(([, name]) => name));
  return code.replace(getter, (text, name, local) =>
    constants.has(local) ? `exports.${name} = ${local};${'\n'.repeat(5)}` : text,
  );
}

/**
 * Removes most calls of the bundler's functions. For a default import of a module of Node, which is an object already,
 * they copy every export at start; and the separate chunk with these functions costs each prompt and completion half a
 * millisecond. The lines stay where they are, so source maps stay valid.
 */
export function runtimeRemoval() {
  return {
    name: 'runtime-removal',
    renderChunk(source) {
      const code = exportValues(source);
      if (!code.includes(declaration)) return { code, map: null };
      const changed = code
        .replace(imported, '$1$2 = { __proto__: $2, default: $2 };')
        .replace(importedLater, '$1')
        .replace(namespace, 'exportAll({');
      const [before, after] = changed.split(declaration);
      const isUsed = after.includes('require_rolldown_runtime');
      const needed = [isUsed ? declaration : '', after.includes('exportAll(') ? exportAll : ''];
      return { code: before + needed.join(' ') + after, map: null };
    },
  };
}
