/** Functions that modes are made with, and their tables of words. */
const calls = /(?<=[=:,(] *)(?=(?:clike|keySet|mk[A-Z]\w+|set|sql|words)\()/g;

/** Marks how CodeMirror's modes are made as free of side effects, so that unused dialects are not bundled. */
export function codeMirrorBundling() {
  return {
    name: 'codemirror-bundling',
    transform: {
      filter: { id: /[\\/]@codemirror[\\/]legacy-modes[\\/]mode[\\/]\w+\.js$/ },
      handler: (code) => ({ code: code.replace(calls, '/* @__PURE__ */ '), map: null }),
    },
  };
}
