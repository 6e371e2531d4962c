import { once } from 'node:events';
import { createServer, request as sendRequest, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A forward proxy for plain HTTP and CONNECT, stopped with the test.
 * @param upstream the local port that receives the requests for every host
 * @param refusal refuses everything with this status
 */
export async function startProxy({ upstream, refusal }: { upstream: number; refusal?: number }) {
  /** Each as the proxy sees it: an absolute URL, or `host:port` for a tunnel, whose method is `CONNECT`. */
  const requests: { method: string; target: string; headers: IncomingMessage['headers'] }[] = [];
  const sockets = new Set<Socket>();
  const record = ({ method = '', url = '', headers }: IncomingMessage) =>
    requests.push({ method, target: url, headers });
  const server = createServer((incoming, outgoing) => {
    record(incoming);
    if (refusal !== undefined) {
      outgoing.writeHead(refusal).end();
      return;
    }
    const { method, headers } = incoming;
    const path = new URL(incoming.url ?? '').pathname;
    const onward = { host: '127.0.0.1', port: upstream, method, path, headers };
    incoming.pipe(
      sendRequest(onward, (response) => {
        outgoing.writeHead(response.statusCode ?? 0, response.headers);
        response.pipe(outgoing);
      }),
    );
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (incoming, socket: Socket) => {
    record(incoming);
    socket.on('error', () => socket.destroy());
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal} Refused\r\n\r\n`);
      return;
    }
    const onward = connect(upstream, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, requests };
}
