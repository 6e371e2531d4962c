import type { ChatEvent } from '../client/events.ts';
import { createSanitizer } from '../terminal/safety/sanitizer.ts';
import type { OutputStream } from '../terminal/device/streams.ts';
import type { Style } from '../terminal/style.ts';
import type { Activity } from './activity.ts';
import { refusalNotice, thoughtNotice, type Notices } from './notices.ts';

export interface ProgressReporterOptions {
  readonly stderr: OutputStream;
  readonly style: Style;
  readonly notices: Notices;
  readonly activity: Activity;
  readonly model: string;
  readonly showReasoning: boolean;
}

/** Shows waits, retries, reasoning (if requested) and refusals on standard error. */
export interface ProgressReporter {
  event(event: ChatEvent): void;
  /** Call when the answer has ended, complete or cut. */
  end(): void;
}

/** Reasoning text, dim and on separate lines. */
function createReasoningText(stderr: OutputStream, style: Style) {
  const sanitizer = createSanitizer();
  let lineIsOpen = false;
  return {
    show(text: string): void {
      const shown = sanitizer.write(text);
      if (shown === '') return;
      lineIsOpen = !shown.endsWith('\n');
      void stderr.write(style.dim(shown));
    },
    closeLine(): void {
      if (lineIsOpen) void stderr.write('\n');
      lineIsOpen = false;
    },
  };
}

export function createProgressReporter(options: ProgressReporterOptions): ProgressReporter {
  const { stderr, style, notices, activity, model, showReasoning } = options;
  const reasoning = createReasoningText(stderr, style);
  let refusal = '';
  let hidesThought = false;
  const settle = () => {
    activity.settle();
    reasoning.closeLine();
  };
  return {
    event(event) {
      switch (event.type) {
        case 'retry-scheduled':
          return activity.retry(event);
        case 'answer-started':
          return activity.waiting(model);
        case 'reasoning-received':
          hidesThought ||= event.received !== undefined && !showReasoning;
          if (!showReasoning) return undefined;
          activity.settle();
          return reasoning.show(event.text);
        case 'refusal-received':
          refusal += event.text;
          return undefined;
        case 'answer-named':
          return undefined;
        case 'text-received':
        case 'answer-finished':
          return settle();
      }
    },
    end() {
      settle();
      if (hidesThought) notices.notice(thoughtNotice);
      if (refusal !== '') notices.warning(refusalNotice(refusal));
    },
  };
}
