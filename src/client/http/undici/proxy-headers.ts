import type { RequestHeaders } from '../transport.ts';

/** The login for a proxy, from its URL. */
export function proxyHeaders({ username, password }: URL): RequestHeaders {
  if (username === '' && password === '') return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}
