/** Keeps UTF-16 surrogate pairs whole that a service split over two deltas. */
export interface SurrogateCarry {
  /** The delta, led by what was held back; a trailing high surrogate is held for the next delta. */
  take(delta: string): string;
  /** U+FFFD where a high surrogate was still held, else nothing. */
  end(): string;
}

const loneSurrogate = /\p{Surrogate}/gu;
const replacement = '\uFFFD';

function endsInHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

/** What `take` and `end` return is well-formed: a surrogate that never finds its partner becomes U+FFFD. */
export function createSurrogateCarry(): SurrogateCarry {
  let held = '';

  return {
    take(delta) {
      let text = held === '' ? delta : held + delta;
      held = '';
      if (endsInHighSurrogate(text)) {
        held = text.slice(-1);
        text = text.slice(0, -1);
      }
      return text.replace(loneSurrogate, replacement);
    },
    end() {
      const rest = held === '' ? '' : replacement;
      held = '';
      return rest;
    },
  };
}
