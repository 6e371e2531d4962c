import type { Reply } from './reply.ts';

const pieceLength = 4096;

/** Gives back the last user turn, byte for byte. */
export const echoReply: Reply = function* echo({ text }) {
  for (let start = 0; start < text.length; start += pieceLength) {
    yield text.slice(start, start + pieceLength);
  }
};
