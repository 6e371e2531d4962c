import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Input that reaches `onBytes` as that of a terminal would: when the process has time to read it. */
export async function openLateInput(onBytes: (bytes: Buffer) => void) {
  const server = createServer((socket) => socket.on('data', onBytes));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const writer = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await Promise.all([once(writer, 'connect'), once(server, 'connection')]);
  onTestFinished(() => {
    writer.destroy();
    server.close();
  });
  return {
    /** Sends the text, and blocks the process for this time, so that it is read later. */
    sendWhileBusy(text: string, milliseconds: number): void {
      writer.write(text);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
    },
  };
}
