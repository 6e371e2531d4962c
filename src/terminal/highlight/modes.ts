// The modes of CodeMirror that colour code, in a chunk that natter loads at the first code block.
import type { StreamParser } from '@codemirror/language';
import {
  c,
  cpp,
  java,
  csharp,
  kotlin,
  scala,
  dart,
  objectiveC,
  shader,
} from '@codemirror/legacy-modes/mode/clike';
import { clojure } from '@codemirror/legacy-modes/mode/clojure';
import { cmake } from '@codemirror/legacy-modes/mode/cmake';
import { css, sCSS, less } from '@codemirror/legacy-modes/mode/css';
import { diff } from '@codemirror/legacy-modes/mode/diff';
import { dockerFile } from '@codemirror/legacy-modes/mode/dockerfile';
import { elm } from '@codemirror/legacy-modes/mode/elm';
import { erlang } from '@codemirror/legacy-modes/mode/erlang';
import { go } from '@codemirror/legacy-modes/mode/go';
import { groovy } from '@codemirror/legacy-modes/mode/groovy';
import { haskell } from '@codemirror/legacy-modes/mode/haskell';
import { http } from '@codemirror/legacy-modes/mode/http';
import { javascript, typescript, json } from '@codemirror/legacy-modes/mode/javascript';
import { julia } from '@codemirror/legacy-modes/mode/julia';
import { lua } from '@codemirror/legacy-modes/mode/lua';
import { nginx } from '@codemirror/legacy-modes/mode/nginx';
import { perl } from '@codemirror/legacy-modes/mode/perl';
import { powerShell } from '@codemirror/legacy-modes/mode/powershell';
import { properties } from '@codemirror/legacy-modes/mode/properties';
import { protobuf } from '@codemirror/legacy-modes/mode/protobuf';
import { python } from '@codemirror/legacy-modes/mode/python';
import { r } from '@codemirror/legacy-modes/mode/r';
import { ruby } from '@codemirror/legacy-modes/mode/ruby';
import { rust } from '@codemirror/legacy-modes/mode/rust';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { standardSQL, mySQL, pgSQL, sqlite, msSQL } from '@codemirror/legacy-modes/mode/sql';
import { stex } from '@codemirror/legacy-modes/mode/stex';
import { swift } from '@codemirror/legacy-modes/mode/swift';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { xml, html } from '@codemirror/legacy-modes/mode/xml';
import { yaml } from '@codemirror/legacy-modes/mode/yaml';

export { StringStream } from '@codemirror/language';

export type Mode = StreamParser<unknown>;

/** One row for each mode, with its names in code fences. */
const rows: readonly (readonly [names: string, mode: Mode])[] = [
  ['javascript js jsx mjs cjs node', javascript],
  ['typescript ts tsx mts cts', typescript],
  ['json jsonc json5 jsonl ndjson', json],
  ['c h', c],
  ['cpp c++ cc cxx hpp hxx', cpp],
  ['java', java],
  ['csharp c# cs', csharp],
  ['kotlin kt kts', kotlin],
  ['scala', scala],
  ['dart', dart],
  ['objectivec objective-c objc', objectiveC],
  ['glsl shader hlsl', shader],
  ['css', css],
  ['scss', sCSS],
  ['less', less],
  ['xml svg xhtml plist', xml],
  ['html htm vue svelte', html],
  ['sql', standardSQL],
  ['mysql mariadb', mySQL],
  ['postgresql postgres pgsql psql', pgSQL],
  ['sqlite', sqlite],
  ['tsql mssql', msSQL],
  ['python py python3 py3', python],
  ['go golang', go],
  ['rust rs', rust],
  ['ruby rb', ruby],
  ['swift', swift],
  ['shell sh bash zsh ksh fish console', shell],
  ['powershell ps1 pwsh', powerShell],
  ['yaml yml', yaml],
  ['toml', toml],
  ['dockerfile docker', dockerFile],
  ['diff patch', diff],
  ['lua', lua],
  ['perl pl', perl],
  ['r', r],
  ['haskell hs', haskell],
  ['ini properties conf env', properties],
  ['nginx', nginx],
  ['protobuf proto', protobuf],
  ['julia jl', julia],
  ['clojure clj edn', clojure],
  ['elm', elm],
  ['erlang erl', erlang],
  ['groovy gradle', groovy],
  ['cmake', cmake],
  ['latex tex', stex],
  ['http', http],
];

const modes = new Map(
  rows.flatMap(([names, mode]) => names.split(' ').map((name) => [name, mode] as const)),
);

/** Finds the mode of a language, ignoring case; undefined if natter cannot highlight it. */
export function findMode(language: string): Mode | undefined {
  return modes.get(language.toLowerCase());
}
