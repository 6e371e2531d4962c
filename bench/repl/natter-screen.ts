import { systemClock } from '../../src/clock.ts';
import { TextGathering } from '../../src/repl/effects/gather-texts.ts';
import { createDrawer } from '../../src/repl/view/draw-frame.tsx';
import type { ViewModel } from '../../src/repl/view/view-model.ts';
import { createLiveRegion, type LiveRegion } from '../../src/terminal/live/live-region.ts';
import {
  createMarkdownStream,
  type MarkdownStream,
} from '../../src/terminal/markdown/markdown-stream.ts';
import { createSanitizer } from '../../src/terminal/safety/sanitizer.ts';
import type { Style } from '../../src/terminal/style.ts';
import { createChalkStyle } from '../../src/terminal/chalk-style.ts';
import { viewModel } from '../../test/support/view-models.ts';
import type { BenchScreen, Terminal } from './screen.ts';

const idle = viewModel();

function modelOf(tokens: number, seconds: number, tail: string): ViewModel {
  return viewModel({
    tail,
    status: { phase: 'streaming', model: 'origin', seconds, tokens, isEstimate: true },
    composer: { ...idle.composer, placeholder: '' },
    footer: { ...idle.footer, conversation: 'Light and air' },
  });
}

function openRegion(terminal: Terminal): LiveRegion {
  const write = (text: string): undefined => terminal.write(text);
  return createLiveRegion({
    output: { ...terminal, write },
    clock: systemClock,
    synchronized: true,
    rewraps: true,
    resizePause: 100,
    askColumn: () => undefined,
  });
}

function openMarkdown({ columns: width }: Terminal, style: Style): MarkdownStream {
  return createMarkdownStream({ style, width, hyperlinks: true, unicode: true, wrap: 'words' });
}

/**
 * natter's path from a delta to the terminal: texts of one update joined, sanitizer, Markdown wrapped between words,
 * live region with status and composer.
 */
export async function openNatter(terminal: Terminal): Promise<BenchScreen> {
  const style = createChalkStyle();
  const region = openRegion(terminal);
  const draw = createDrawer();
  const lookNow = () => ({ style, unicode: true, now: performance.now() });
  const stream = openMarkdown(terminal, style);
  const sanitizer = createSanitizer();
  const begin = performance.now();
  let tokens = 0;
  const show = async (text: string) => {
    region.commit(await stream.write(sanitizer.write(text)));
    const seconds = Math.floor((performance.now() - begin) / 1000);
    const model = modelOf(tokens, seconds, stream.undecided());
    region.render((place) => draw(model, lookNow(), place));
  };
  const gathering = new TextGathering();
  const receive = async () => {
    for await (const event of gathering.events((skipsOne) => region.nextUpdate(skipsOne))) {
      if (event.type === 'text-received') await show(event.text);
    }
  };
  // As in a conversation, and as in the other screens, the first frame is drawn before the answer.
  region.render((place) => draw(idle, lookNow(), place));
  const received = receive();
  return {
    add(text) {
      tokens += 1;
      return gathering.add({ type: 'text-received', text, deltas: [text] });
    },
    async close() {
      gathering.end();
      await received;
      region.commit(await stream.end());
      region.close();
    },
  };
}
