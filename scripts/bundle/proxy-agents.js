import { fileURLToPath } from 'node:url';

const silent = fileURLToPath(new URL('./debug.js', import.meta.url));

/** Removes the logger of the agents for proxies. */
export function proxyAgentBundling() {
  return {
    name: 'proxy-agent-bundling',
    resolveId: (source) => (source === 'debug' ? silent : null),
  };
}
