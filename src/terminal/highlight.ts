import { StringStream, type StreamParser } from '@codemirror/language';
import * as clike from '@codemirror/legacy-modes/mode/clike';
import { clojure } from '@codemirror/legacy-modes/mode/clojure';
import { cmake } from '@codemirror/legacy-modes/mode/cmake';
import { css, less, sCSS } from '@codemirror/legacy-modes/mode/css';
import { diff } from '@codemirror/legacy-modes/mode/diff';
import { dockerFile } from '@codemirror/legacy-modes/mode/dockerfile';
import { elm } from '@codemirror/legacy-modes/mode/elm';
import { erlang } from '@codemirror/legacy-modes/mode/erlang';
import { go } from '@codemirror/legacy-modes/mode/go';
import { groovy } from '@codemirror/legacy-modes/mode/groovy';
import { haskell } from '@codemirror/legacy-modes/mode/haskell';
import { http } from '@codemirror/legacy-modes/mode/http';
import { javascript, json, typescript } from '@codemirror/legacy-modes/mode/javascript';
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
import { msSQL, mySQL, pgSQL, sqlite, standardSQL } from '@codemirror/legacy-modes/mode/sql';
import { stex } from '@codemirror/legacy-modes/mode/stex';
import { swift } from '@codemirror/legacy-modes/mode/swift';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { html, xml } from '@codemirror/legacy-modes/mode/xml';
import { yaml } from '@codemirror/legacy-modes/mode/yaml';
import type { Look, Style } from './style.ts';

/** Reads rows of words and what they all stand for. */
const byWord = <Value>(rows: readonly (readonly [words: string, value: Value])[]) =>
  new Map(rows.flatMap(([words, value]) => words.split(' ').map((word) => [word, value] as const)));

/** The modes by their names in code fences. */
const modes = byWord<StreamParser<unknown>>([
  ['javascript js jsx mjs cjs node', javascript],
  ['typescript ts tsx mts cts', typescript],
  ['json jsonc json5 jsonl ndjson', json],
  ['c h', clike.c],
  ['cpp c++ cc cxx hpp hxx', clike.cpp],
  ['java', clike.java],
  ['csharp c# cs', clike.csharp],
  ['kotlin kt kts', clike.kotlin],
  ['scala', clike.scala],
  ['dart', clike.dart],
  ['objectivec objective-c objc', clike.objectiveC],
  ['glsl shader hlsl', clike.shader],
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
]);

/** Longer lines are data or minified code, and some modes are slow on them. */
const MAX_LINE = 2000;

/** Columns a mode counts for one level of indentation. */
const INDENT_UNIT = 2;

const tabSize = 4;

/**
 * Starts a code block, whose lines are unchanged if the language is unknown. @returns a function that styles the next
 * line without changing its visible text
 */
export function openHighlight(language: string, style: Style) {
  const mode = modes.get(language.toLowerCase());
  let isBroken = mode === undefined || !style.colored;
  let state: unknown;
  return (line: string) => {
    if (isBroken || mode === undefined || line.length > MAX_LINE) return line;
    const stream = new StringStream(line, tabSize, INDENT_UNIT);
    let output = '';
    let stalls = 0;
    try {
      state ??= mode.startState?.(INDENT_UNIT) ?? {};
      if (line.trim() === '') {
        mode.blankLine?.(state, INDENT_UNIT);
        return line;
      }
      while (!stream.eol()) {
        stream.start = stream.pos;
        const token = mode.token(stream, state);
        if (stream.pos > stream.start) stalls = 0;
        else if ((stalls += 1) > 10) throw new Error('the mode does not advance');
        const text = stream.current();
        // The last part of `variableName.definition` or `string property` that has a look decides.
        const parts = token?.split(/[ .]/) ?? [];
        const look = parts.map((part) => looks.get(part)).findLast((one) => one !== undefined);
        output += look && text.trim() !== '' ? style[look](text) : text;
      }
      return output;
    } catch {
      // After an error, the mode's state is unusable: the rest of this block has no colour.
      isBroken = true;
      return line;
    }
  };
}

/** The looks of CodeMirror's token names, old and new. Other tokens have the terminal's default colour. */
const looks = byWord<Look>([
  ['keyword modifier qualifier meta macroName', 'keyword'],
  ['string string-2 regexp inserted', 'string'],
  ['deleted', 'red'],
  ['number atom bool type typeName className attribute attributeName builtin', 'cyan'],
  ['tag tagName def definition function', 'blue'],
  ['comment', 'comment'],
  ['header heading strong', 'bold'],
  ['emphasis', 'italic'],
  ['link', 'underline'],
]);
