import type { WrapMode } from '../../terminal/markdown/markdown-stream.ts';

export const wrapModes: readonly WrapMode[] = ['words', 'none'];
