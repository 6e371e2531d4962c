import type { JobOutcome, QueuedItem, QueueJob } from './batch-queue.ts';

/** The item of a job. */
export interface HandedJob extends QueuedItem {
  readonly job: QueueJob;
  /** Takes the job. */
  readonly start: () => void;
  readonly end: (outcome: JobOutcome) => void;
}

/** Passes jobs from a queue's worker, which pushes them, to `runItems`, which pulls them. */
export function createHandOver() {
  const waiting: HandedJob[] = [];
  const unstarted = new Set<HandedJob>();
  let isEnded = false;
  let wake: () => void = () => undefined;
  return {
    /** Resolves at the end of the job; with `returned` if it was not started before the hand-over ended. */
    give: (job: QueueJob) =>
      new Promise<JobOutcome>((end) => {
        if (isEnded) return end({ state: 'returned' });
        const next: HandedJob = { ...job.item, job, end, start: () => void unstarted.delete(next) };
        unstarted.add(next);
        waiting.push(next);
        wake();
      }),
    /** The jobs until `ended` aborts. */
    async *jobs(ended: AbortSignal) {
      const onEnd = () => wake();
      ended.addEventListener('abort', onEnd);
      try {
        while (!ended.aborted) {
          const next = waiting.shift();
          if (next !== undefined) yield next;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        isEnded = true;
        ended.removeEventListener('abort', onEnd);
        for (const { end } of unstarted) end({ state: 'returned' });
      }
    },
  };
}
