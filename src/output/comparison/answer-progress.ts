import type { ChatEvent } from '../../client/events.ts';
import { estimateTokens } from '../../conversation/token-estimate.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { truncateToWidth } from '../../terminal/text/width.ts';
import { expectedDelay } from '../activity.ts';
import { count, seconds, tokenText } from '../figures.ts';

/** Times are in monotonic milliseconds. */
export interface AnswerProgress {
  readonly phase: 'waiting' | 'retrying' | 'streaming' | 'ended';
  readonly since: number;
  readonly firstText?: number;
  readonly last: number;
  /** Estimated from the text so far. */
  readonly tokens: number;
  readonly retry?: { readonly text: string; readonly at: number };
  readonly endReason?: string;
}

export function beginProgress(now: number): AnswerProgress {
  return { phase: 'waiting', since: now, last: now, tokens: 0 };
}

export function withEvent(before: AnswerProgress, event: ChatEvent, now: number): AnswerProgress {
  const next = { ...before, last: now };
  switch (event.type) {
    case 'answer-started':
      return { ...next, phase: 'waiting' };
    case 'retry-scheduled': {
      const { retry, retries, cause } = event;
      const text = `retry ${retry} of ${retries}: ${sanitizeLine(cause.message)}`;
      return { ...next, phase: 'retrying', retry: { text, at: now + expectedDelay(event) } };
    }
    case 'text-received': {
      const tokens = before.tokens + estimateTokens(event.text);
      return { ...next, phase: 'streaming', firstText: before.firstText ?? now, tokens };
    }
    case 'answer-named':
    case 'reasoning-received':
    case 'refusal-received':
    case 'answer-finished':
      return next;
  }
}

/** Below one second, a speed is meaningless. */
const minStream = 1000;

function speed({ tokens, firstText, last }: AnswerProgress): string {
  const streaming = last - (firstText ?? last);
  if (streaming < minStream) return '';
  return ` · ~${count(Math.round((tokens / streaming) * 1000))} tokens/s`;
}

/** One line of a column's width: the wait, or the speed of the text. */
export function progressText(progress: AnswerProgress, now: number, width: number): string {
  const { phase, since, last, tokens, retry, endReason } = progress;
  const waited = Math.floor((now - since) / 1000);
  const time = waited > 0 ? ` · ${waited} s` : '';
  if (phase === 'waiting') return truncateToWidth(`waiting${time}`, width);
  if (phase === 'retrying' && retry !== undefined) {
    const left = Math.max(0, Math.ceil((retry.at - now) / 1000));
    return truncateToWidth(`in ${left} s ${retry.text}`, width);
  }
  const amount = `${tokenText(tokens, true)}${speed(progress)}`;
  if (phase === 'ended')
    return truncateToWidth(`${endReason} · ${seconds(last - since)} · ${amount}`, width);
  return truncateToWidth(`${amount}${time}`, width);
}
