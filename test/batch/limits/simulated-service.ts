import { LimitController } from '../../../src/batch/limits/limit-controller.ts';

/** Which requests a service admits. Times are milliseconds. */
export interface SimulatedLimit {
  admits(now: number): boolean;
  /** An admitted request is answered. */
  ends(): void;
  /** Headers of a response. */
  remaining?(now: number): number;
}

/** Refuses more than `most` requests at the same time. */
export function places(most: number): SimulatedLimit {
  let open = 0;
  return {
    admits() {
      if (open >= most) return false;
      open += 1;
      return true;
    },
    ends: () => void (open -= 1),
    remaining: () => most - open,
  };
}

/** Admits at most `most` requests in any period of `window`. */
export function slidingWindow(most: number, window: number): SimulatedLimit {
  let times: number[] = [];
  return {
    admits(now) {
      times = times.filter((time) => time > now - window);
      if (times.length >= most) return false;
      times.push(now);
      return true;
    },
    ends: () => undefined,
    remaining: () => most - times.length,
  };
}

/** Admits at most `most` requests in each of the periods that follow one another. */
export function fixedWindow(most: number, window: number): SimulatedLimit {
  let current = -1;
  let count = 0;
  return {
    admits(now) {
      const index = Math.floor((now + window / 7) / window);
      if (index !== current) count = 0;
      current = index;
      if (count >= most) return false;
      count += 1;
      return true;
    },
    ends: () => undefined,
    remaining: () => most - count,
  };
}

/** Admits `perSecond`, and after a pause up to `capacity` at once. */
export function tokenBucket(perSecond: number, capacity: number): SimulatedLimit {
  let level = capacity;
  let at = 0;
  return {
    admits(now) {
      level = Math.min(capacity, level + ((now - at) * perSecond) / 1000);
      at = now;
      if (level < 1) return false;
      level -= 1;
      return true;
    },
    ends: () => undefined,
    remaining: () => Math.floor(level),
  };
}

/** Refuses this share of the requests by chance, as a busy service does. */
export function refusing(share: number, seed: number): SimulatedLimit {
  const random = createRandom(seed * 7919);
  random();
  return { admits: () => random() >= share, ends: () => undefined };
}

export interface Simulation {
  readonly limit: SimulatedLimit;
  readonly items: number;
  /** Requests at the same time, as the user allows. */
  readonly most: number;
  /** Of an answer. */
  readonly latency: number;
  /** Of a refusal; 0 without one. */
  readonly retryAfter?: number;
  /** Whether responses report the remaining requests in headers. */
  readonly hasHeaders?: boolean;
  /** One way. */
  readonly network?: number;
  readonly seed?: number;
  /** Pauses of the processes on a busy machine, on average. */
  readonly stalls?: { readonly every: number; readonly length: number };
}

/** Calls actions in the order of their times. */
function createTimeline() {
  const events: { readonly at: number; readonly act: () => void }[] = [];
  let now = 0;
  return {
    now: () => now,
    at(time: number, act: () => void): void {
      const index = events.findLastIndex((event) => event.at <= time);
      events.splice(index + 1, 0, { at: time, act });
    },
    step(): boolean {
      const event = events.shift();
      if (event === undefined) return false;
      now = event.at;
      event.act();
      return true;
    },
  };
}

/** Numbers from 0 to 1 that look random, and are the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Moves a time within a stall to its end. */
function createStalls({ stalls }: Simulation, random: () => number): (time: number) => number {
  const all: { readonly from: number; readonly to: number }[] = [];
  const about = (average: number) => -average * Math.log(1 - random());
  return (time) => {
    if (stalls === undefined) return time;
    for (let last = all.at(-1)?.to ?? 0; last <= time; last = all.at(-1)?.to ?? 0) {
      const from = last + about(stalls.every);
      all.push({ from, to: from + about(stalls.length) });
    }
    return Math.max(time, all.findLast(({ from }) => from <= time)?.to ?? 0);
  };
}

interface Item {
  readonly index: number;
  /** Refusals since the last answer to any item. */
  refusals: number;
  answersSeen: number;
  readyAt: number;
}

/** Runs the controller against a service, in simulated time. */
export function simulate(simulation: Simulation) {
  const { limit, items, most, latency, retryAfter = 0, hasHeaders, network = 1 } = simulation;
  const random = createRandom(simulation.seed ?? 42);
  const timeline = createTimeline();
  const afterStall = createStalls(simulation, random);
  const controller = new LimitController(most);
  const waiting: Item[] = [];
  const counts = { fresh: 0, answered: 0, refused: 0, sent: 0, lateSent: 0, lateRefused: 0 };
  let time = 0;
  let timer = Number.POSITIVE_INFINITY;

  const wakeAt = (at: number): void => {
    if (timer <= at && timer > timeline.now()) return;
    timer = at;
    // Timers are late.
    timeline.at(afterStall(at + random()), () => {
      timer = Number.POSITIVE_INFINITY;
      fill();
    });
  };
  const onNetwork = (act: () => void): void =>
    timeline.at(afterStall(timeline.now() + network * (0.5 + random())), act);
  const send = (item: Item): void => {
    const ticket = controller.begin(timeline.now());
    const isLate = counts.answered > items / 3;
    counts.sent += 1;
    if (isLate) counts.lateSent += 1;
    const announce = (): void => {
      if (hasHeaders !== true || limit.remaining === undefined) return;
      controller.announce(timeline.now(), limit.remaining(timeline.now()));
    };
    const answered = (): void => {
      announce();
      controller.end(ticket, timeline.now());
      counts.answered += 1;
      time = timeline.now();
      fill();
    };
    const refused = (): void => {
      announce();
      controller.refuse(ticket, timeline.now(), retryAfter);
      counts.refused += 1;
      if (isLate) counts.lateRefused += 1;
      item.refusals = item.answersSeen === counts.answered ? item.refusals + 1 : 1;
      item.answersSeen = counts.answered;
      const wait = retryAfter || Math.min(8000, 500 * 2 ** (item.refusals - 1));
      item.readyAt = timeline.now() + wait;
      waiting.push(item);
      fill();
    };
    onNetwork(() => {
      if (!limit.admits(timeline.now())) return onNetwork(refused);
      timeline.at(timeline.now() + latency * (0.85 + 0.3 * random()), () => {
        limit.ends();
        onNetwork(answered);
      });
    });
  };
  const nextItem = (): Item | undefined => {
    waiting.sort((one, other) => one.index - other.index);
    const ready = waiting.findIndex(({ readyAt }) => readyAt <= timeline.now());
    if (ready !== -1) return waiting.splice(ready, 1)[0];
    if (counts.fresh >= items) return undefined;
    counts.fresh += 1;
    return { index: counts.fresh, refusals: 0, answersSeen: 0, readyAt: 0 };
  };
  const fill = (): void => {
    for (;;) {
      const delay = controller.delay(timeline.now());
      if (delay > 0) {
        if (delay !== Number.POSITIVE_INFINITY) wakeAt(timeline.now() + delay);
        return;
      }
      const item = nextItem();
      if (item === undefined) {
        if (waiting.length > 0) wakeAt(Math.min(...waiting.map(({ readyAt }) => readyAt)));
        return;
      }
      send(item);
    }
  };
  fill();
  while (counts.answered < items && timeline.step());
  return {
    /** Milliseconds until the last answer. */
    time,
    answered: counts.answered,
    refused: counts.refused,
    /** Part of the requests that were refused after a third of the items was answered. */
    steadyShare: counts.lateRefused / Math.max(1, counts.lateSent),
    found: controller.found(),
  };
}
