import type { JobOutcome, QueuedItem, QueueJob } from './batch-queue.ts';

/** The item of a job. */
export interface HandedJob extends QueuedItem {
  readonly job: QueueJob;
  /** Takes the job. */
  readonly start: () => void;
  readonly end: (outcome: JobOutcome) => void;
}

/** Passes jobs from a queue's worker, which pushes them, to `runItems`, which pulls them. */
interface HandOver {
  /** Resolves at the end of the job; with `returned` if it was not started before the hand-over ended. */
  readonly give: (job: QueueJob) => Promise<JobOutcome>;
  /** The jobs until `ended` aborts. */
  readonly jobs: (ended: AbortSignal) => AsyncGenerator<readonly [HandedJob], void>;
}

interface WaitingJob extends HandedJob {
  readonly giveBack: () => void;
}

function waitingJob(job: QueueJob, end: (outcome: JobOutcome) => void): WaitingJob {
  let isStarted = false;
  return {
    ...job.item,
    job,
    start() {
      isStarted = true;
    },
    end,
    giveBack() {
      if (!isStarted) end({ state: 'returned' });
    },
  };
}

export function createHandOver(): HandOver {
  const waiting: WaitingJob[] = [];
  let isEnded = false;
  let wake: () => void = () => undefined;
  return {
    give: (job) =>
      new Promise((end) => {
        const next = waitingJob(job, end);
        if (isEnded) next.giveBack();
        else waiting.push(next);
        wake();
      }),
    async *jobs(ended) {
      const onEnd = () => wake();
      ended.addEventListener('abort', onEnd);
      let last: WaitingJob | undefined;
      try {
        while (!ended.aborted) {
          last = waiting.shift();
          if (last !== undefined) yield [last];
          else if (waiting.length === 0 && !ended.aborted) {
            await new Promise<void>((resolve) => (wake = resolve));
          }
        }
      } finally {
        isEnded = true;
        ended.removeEventListener('abort', onEnd);
        last?.giveBack();
        for (const job of waiting.splice(0)) job.giveBack();
      }
    },
  };
}
