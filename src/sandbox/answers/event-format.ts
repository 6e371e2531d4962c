import type { Fault } from '../faults/fault-fields.ts';

const lineEnds = { lf: '\n', crlf: '\r\n', cr: '\r' } as const;

/** One kind per event: within an event, a CR before an LF would be one line end, not two. */
const mixedEnds = [lineEnds.lf, lineEnds.crlf, lineEnds.cr];

function splitOverLines(data: string): readonly string[] {
  try {
    return JSON.stringify(JSON.parse(data), null, 1).split('\n');
  } catch {
    return [data];
  }
}

export type EventFormat = (data: string, name?: string) => string;

/** `data: <json>` and a blank line (contract, Events), changed by the fault. */
export function createEventFormat(fault: Fault): EventFormat {
  const lineEnding = fault['line-ending'] ?? 'lf';
  const prefix = `data:${' '.repeat(fault['data-spaces'] ?? 1)}`;
  let number = 0;
  return (data, name) => {
    number += 1;
    const end =
      lineEnding === 'mixed' ? (mixedEnds[number % 3] ?? lineEnds.lf) : lineEnds[lineEnding];
    const lines = fault['data-lines'] === true ? splitOverLines(data) : [data];
    const extras =
      fault['extra-fields'] === true
        ? [`id: ${number}`, 'retry: 10', 'event', 'x-unknown: 1', 'no colon']
        : [];
    const names = name === undefined ? [] : [`event: ${name}`];
    const event = [...extras, ...names, ...lines.map((line) => prefix + line)];
    return `${`: comment${end}`.repeat(fault.comments ?? 0)}${event.join(end)}${end}${end}`;
  };
}

export function formatComment(fault: Fault): string {
  const lineEnding = fault['line-ending'] ?? 'lf';
  const end = lineEnding === 'mixed' ? lineEnds.lf : lineEnds[lineEnding];
  return `: keep-alive${end}${end}`;
}
