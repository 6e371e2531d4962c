import type { Reply } from './reply.ts';

const esc = '\u001b';
const bel = '\u0007';
const st = `${esc}\\`;

/** Sequences that must not reach a terminal, each with the name of its effect. */
export const hostileSequences: readonly (readonly [name: string, sequence: string])[] = [
  ['colour', `${esc}[31m`],
  ['clear screen', `${esc}[2J${esc}[H`],
  ['clear scrollback', `${esc}[3J`],
  ['cursor up', `${esc}[5A`],
  ['alternate screen', `${esc}[?1049h`],
  ['hide cursor', `${esc}[?25l`],
  ['reset', `${esc}c`],
  ['title', `${esc}]0;owned${bel}`],
  ['title, ST', `${esc}]2;owned${st}`],
  ['clipboard', `${esc}]52;c;cm0gLXJmIC8=${bel}`],
  ['link', `${esc}]8;;https://evil.example/${st}https://good.example/${esc}]8;;${st}`],
  ['notification', `${esc}]9;owned${bel}`],
  ['device attributes', `${esc}[c${esc}[>c`],
  ['cursor report', `${esc}[6n`],
  ['status request', `${esc}P$qm${st}`],
  ['DCS', `${esc}Pq#0;2;0;0;0#0!5~${st}`],
  ['APC', `${esc}_Gf=24;AAAA${st}`],
  ['PM', `${esc}^private${st}`],
  ['SOS', `${esc}Xstring${st}`],
  ['C1 CSI', '\u009b31m'],
  ['C1 OSC', '\u009d0;owned\u009c'],
  ['nested', `${esc}]0;${esc}[31m${esc}]52;c;QQ==${bel}`],
  ['unterminated OSC', `${esc}]0;swallows the rest of the line`],
  ['lone ESC', esc],
  ['carriage return', '\rOVERWRITTEN'],
  ['backspaces', '\b\b\b\b\bXXXXX'],
  ['BEL and NUL', `${bel}\u0000\u007f`],
  ['right-to-left override', '\u202egpj.exe\u202c'],
  ['isolates', '\u2066a\u2069\u2067b\u2069'],
  ['zero width', 'a\u200bb\ufeffc\u2060d'],
  ['tag characters', '\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}'],
  ['line separators', 'one\u2028two\u2029three'],
];

export function* hostileLines(): Generator<string, void, undefined> {
  for (const [name, sequence] of hostileSequences) yield `${name}: before${sequence}after\n`;
}

/** A client must show every name and "before", and "after" in all lines but one. */
export const hostileReply: Reply = function* attack() {
  yield 'Each line hides a sequence between "before" and "after".\n\n';
  yield* hostileLines();
  yield '\nThe end of the hostile text.\n';
};
