import type { StreamParser } from '@codemirror/language';

export type Mode = StreamParser<unknown>;

type Loader = () => Promise<Mode>;

/**
 * One row for each mode: its names in code fences, and its loader. A loader takes its mode directly of the import, so
 * that the bundle has only these modes of a file.
 */
const rows: readonly (readonly [names: string, load: Loader])[] = [
  [
    'javascript js jsx mjs cjs node',
    async () => (await import('@codemirror/legacy-modes/mode/javascript')).javascript,
  ],
  [
    'typescript ts tsx mts cts',
    async () => (await import('@codemirror/legacy-modes/mode/javascript')).typescript,
  ],
  [
    'json jsonc json5 jsonl ndjson',
    async () => (await import('@codemirror/legacy-modes/mode/javascript')).json,
  ],
  ['c h', async () => (await import('@codemirror/legacy-modes/mode/clike')).c],
  ['cpp c++ cc cxx hpp hxx', async () => (await import('@codemirror/legacy-modes/mode/clike')).cpp],
  ['java', async () => (await import('@codemirror/legacy-modes/mode/clike')).java],
  ['csharp c# cs', async () => (await import('@codemirror/legacy-modes/mode/clike')).csharp],
  ['kotlin kt kts', async () => (await import('@codemirror/legacy-modes/mode/clike')).kotlin],
  ['scala', async () => (await import('@codemirror/legacy-modes/mode/clike')).scala],
  ['dart', async () => (await import('@codemirror/legacy-modes/mode/clike')).dart],
  [
    'objectivec objective-c objc',
    async () => (await import('@codemirror/legacy-modes/mode/clike')).objectiveC,
  ],
  ['glsl shader hlsl', async () => (await import('@codemirror/legacy-modes/mode/clike')).shader],
  ['css', async () => (await import('@codemirror/legacy-modes/mode/css')).css],
  ['scss', async () => (await import('@codemirror/legacy-modes/mode/css')).sCSS],
  ['less', async () => (await import('@codemirror/legacy-modes/mode/css')).less],
  ['xml svg xhtml plist', async () => (await import('@codemirror/legacy-modes/mode/xml')).xml],
  ['html htm vue svelte', async () => (await import('@codemirror/legacy-modes/mode/xml')).html],
  ['sql', async () => (await import('@codemirror/legacy-modes/mode/sql')).standardSQL],
  ['mysql mariadb', async () => (await import('@codemirror/legacy-modes/mode/sql')).mySQL],
  [
    'postgresql postgres pgsql psql',
    async () => (await import('@codemirror/legacy-modes/mode/sql')).pgSQL,
  ],
  ['sqlite', async () => (await import('@codemirror/legacy-modes/mode/sql')).sqlite],
  ['tsql mssql', async () => (await import('@codemirror/legacy-modes/mode/sql')).msSQL],
  [
    'python py python3 py3',
    async () => (await import('@codemirror/legacy-modes/mode/python')).python,
  ],
  ['go golang', async () => (await import('@codemirror/legacy-modes/mode/go')).go],
  ['rust rs', async () => (await import('@codemirror/legacy-modes/mode/rust')).rust],
  ['ruby rb', async () => (await import('@codemirror/legacy-modes/mode/ruby')).ruby],
  ['swift', async () => (await import('@codemirror/legacy-modes/mode/swift')).swift],
  [
    'shell sh bash zsh ksh fish console',
    async () => (await import('@codemirror/legacy-modes/mode/shell')).shell,
  ],
  [
    'powershell ps1 pwsh',
    async () => (await import('@codemirror/legacy-modes/mode/powershell')).powerShell,
  ],
  ['yaml yml', async () => (await import('@codemirror/legacy-modes/mode/yaml')).yaml],
  ['toml', async () => (await import('@codemirror/legacy-modes/mode/toml')).toml],
  [
    'dockerfile docker',
    async () => (await import('@codemirror/legacy-modes/mode/dockerfile')).dockerFile,
  ],
  ['diff patch', async () => (await import('@codemirror/legacy-modes/mode/diff')).diff],
  ['lua', async () => (await import('@codemirror/legacy-modes/mode/lua')).lua],
  ['perl pl', async () => (await import('@codemirror/legacy-modes/mode/perl')).perl],
  ['r', async () => (await import('@codemirror/legacy-modes/mode/r')).r],
  ['haskell hs', async () => (await import('@codemirror/legacy-modes/mode/haskell')).haskell],
  [
    'ini properties conf env',
    async () => (await import('@codemirror/legacy-modes/mode/properties')).properties,
  ],
  ['nginx', async () => (await import('@codemirror/legacy-modes/mode/nginx')).nginx],
  ['protobuf proto', async () => (await import('@codemirror/legacy-modes/mode/protobuf')).protobuf],
  ['julia jl', async () => (await import('@codemirror/legacy-modes/mode/julia')).julia],
  ['clojure clj edn', async () => (await import('@codemirror/legacy-modes/mode/clojure')).clojure],
  ['elm', async () => (await import('@codemirror/legacy-modes/mode/elm')).elm],
  ['erlang erl', async () => (await import('@codemirror/legacy-modes/mode/erlang')).erlang],
  ['groovy gradle', async () => (await import('@codemirror/legacy-modes/mode/groovy')).groovy],
  ['cmake', async () => (await import('@codemirror/legacy-modes/mode/cmake')).cmake],
  ['latex tex', async () => (await import('@codemirror/legacy-modes/mode/stex')).stex],
  ['http', async () => (await import('@codemirror/legacy-modes/mode/http')).http],
];

const loaders = new Map(
  rows.flatMap(([names, load]) => names.split(' ').map((name) => [name, load] as const)),
);

/** The loader of a language, ignoring case; undefined if natter cannot highlight it. */
export function findLanguage(name: string): Loader | undefined {
  return loaders.get(name.toLowerCase());
}
