import { systemClock } from '../../src/clock.ts';
import { createDrawer, loadLayout } from '../../src/repl/view/draw-frame.tsx';
import type { ViewModel } from '../../src/repl/view/view-model.ts';
import { createLiveRegion } from '../../src/terminal/live/live-region.ts';
import { createMarkdownStream } from '../../src/terminal/markdown/markdown-stream.ts';
import { createSanitizer } from '../../src/terminal/safety/sanitizer.ts';
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

/** natter's path from a delta to the terminal: sanitizer, Markdown, live region with status and composer. */
export async function openNatter(terminal: Terminal): Promise<BenchScreen> {
  await loadLayout();
  const style = createChalkStyle();
  const write = (text: string): undefined => terminal.write(text);
  const region = createLiveRegion({
    output: { ...terminal, write },
    clock: systemClock,
    synchronized: true,
    rewraps: true,
    resizePause: 100,
    askColumn: () => undefined,
  });
  const draw = createDrawer();
  const lookNow = () => ({ style, unicode: true, now: performance.now() });
  const width = () => terminal.columns();
  const stream = createMarkdownStream({ style, width, hyperlinks: true, unicode: true });
  const sanitizer = createSanitizer();
  const begin = performance.now();
  let tokens = 0;
  // As in a conversation, and as in the other screens, the first frame is drawn before the answer.
  region.render((place) => draw(idle, lookNow(), place));
  return {
    async add(delta) {
      tokens += 1;
      region.commit(await stream.write(sanitizer.write(delta)));
      const seconds = Math.floor((performance.now() - begin) / 1000);
      const model = modelOf(tokens, seconds, stream.undecided());
      region.render((place) => draw(model, lookNow(), place));
    },
    async close() {
      region.commit(await stream.end());
      region.close();
    },
  };
}
