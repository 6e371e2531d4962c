import { Box, render, Static, Text } from 'ink';
import type { ReactElement } from 'react';
import type { BenchScreen } from './screen.ts';

const batch = 33;

function Status({ tokens }: { readonly tokens: number }): ReactElement {
  return (
    <Box flexDirection="column">
      <Text dimColor>{`origin · ${tokens} tokens · Esc stops`}</Text>
      <Text>{'› '}</Text>
      <Text dimColor>Light and air origin 1.2K/128K 1%</Text>
    </Box>
  );
}

/** The whole answer in one `<Text>`, drawn by Ink alone at its own rate. */
export async function openText(): Promise<BenchScreen> {
  let text = '';
  let tokens = 0;
  const frame = () => (
    <Box flexDirection="column">
      <Text>{text}</Text>
      <Status tokens={tokens} />
    </Box>
  );
  const app = render(frame());
  return {
    add(delta) {
      text += delta;
      tokens += 1;
      app.rerender(frame());
    },
    close: () => app.unmount(),
  };
}

/** Finished lines in `<Static>`, the open one below; the deltas of 33 ms are one update. */
export async function openStatic(): Promise<BenchScreen> {
  const lines: string[] = [];
  let open = '';
  let tokens = 0;
  let timer: NodeJS.Timeout | undefined;
  const frame = () => (
    <Box flexDirection="column">
      <Static items={[...lines]}>{(line, index) => <Text key={index}>{line || ' '}</Text>}</Static>
      <Text>{open}</Text>
      <Status tokens={tokens} />
    </Box>
  );
  const app = render(frame());
  const draw = () => {
    timer = undefined;
    app.rerender(frame());
  };
  return {
    add(delta) {
      const parts = (open + delta).split('\n');
      open = parts.pop() ?? '';
      lines.push(...parts);
      tokens += 1;
      timer ??= setTimeout(draw, batch);
    },
    close() {
      clearTimeout(timer);
      draw();
      app.unmount();
    },
  };
}
