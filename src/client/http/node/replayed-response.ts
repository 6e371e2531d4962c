import { request as openRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { HttpResponse } from '../transport.ts';
import { onceClosed, receive, type Reading } from './exchange.ts';

/** A connection that delivers what a socket received. What is written to it has been sent already. */
function replay(socket: Socket, received: AsyncGenerator<Buffer>): Duplex {
  const line: Duplex = new Duplex({
    // An error follows only when all bytes before it have been read.
    readableHighWaterMark: 1,
    read() {
      received.next().then(
        ({ value, done }) => line.push(done === true ? null : value),
        (error: Error) => line.destroy(error),
      );
    },
    write: (_bytes, _encoding, done) => done(),
    // After the response.
    final(done) {
      socket.destroy();
      done();
    },
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  return line;
}

/**
 * Resolves with the response in what a socket received, as Node's parser reads it.
 * @param onHead called when its head is known
 */
export async function replayResponse(
  socket: Socket,
  received: AsyncGenerator<Buffer>,
  reading: Reading,
  onHead: () => void,
): Promise<HttpResponse> {
  const createConnection = () => replay(socket, received);
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = openRequest({ method: 'POST', createConnection });
    outgoing.on('error', reject).once('response', resolve);
    onceClosed(outgoing, reject);
    outgoing.end();
  });
  onHead();
  return receive(incoming, reading);
}
