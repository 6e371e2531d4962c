// A Slurm of two nodes on this machine, on loopback. The daemons run as `nobody` without any privilege, and each node has
// its own host name and process ids, in namespaces that only root can create.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { firstProcess, isInstalled, until } from './place.js';

const nodes = ['node1', 'node2'];
const port = 17_817;

const unprivileged = [
  'setpriv',
  '--reuid=nobody',
  '--regid=nogroup',
  '--clear-groups',
  '--no-new-privs',
  '--inh-caps=-all',
  '--bounding-set=-all',
];

/** Why there can be no cluster; undefined if there can. */
export function missingForSlurm() {
  const missing = ['slurmctld', 'slurmd', 'sbatch', 'srun', 'setpriv'].filter(
    (program) => !isInstalled(program),
  );
  if (missing.length > 0) return `${missing.join(', ')} not installed`;
  const { status } = spawnSync('unshare', ['--uts', '--pid', '--fork', '--mount-proc', 'true']);
  if (status !== 0) return 'only root may create the namespaces of its nodes';
  const [program, ...words] = [...unprivileged, process.execPath, '--version'];
  return spawnSync(program, words).status === 0 ? undefined : 'nobody may not run this Node';
}

function configuration(folder, lines) {
  const node = (name, index) =>
    `NodeName=${name} NodeHostname=${name} NodeAddr=127.0.0.1 Port=${port + 1 + index} CPUs=4`;
  return [
    'ClusterName=natter',
    `SlurmctldHost=${nodes[0]}(127.0.0.1)`,
    `SlurmctldPort=${port}`,
    'SlurmUser=nobody',
    'SlurmdUser=nobody',
    'AuthType=auth/none',
    'CredType=cred/none',
    // A job that is queued again starts as soon as its credential has expired.
    'AuthInfo=cred_expire=5',
    'ProctrackType=proctrack/linuxproc',
    'TaskPlugin=task/none',
    'MpiDefault=none',
    'SelectType=select/cons_tres',
    'SelectTypeParameters=CR_CPU',
    'SchedulerType=sched/builtin',
    'JobRequeue=1',
    // A node that does not answer for ten seconds is down, and its jobs are queued again.
    'SlurmdTimeout=10',
    'ReturnToService=2',
    'SlurmdParameters=config_overrides',
    `StateSaveLocation=${folder}/state`,
    `SlurmdSpoolDir=${folder}/spool-%n`,
    `SlurmctldPidFile=${folder}/slurmctld.pid`,
    `SlurmdPidFile=${folder}/slurmd-%n.pid`,
    `SlurmctldLogFile=${folder}/slurmctld.log`,
    `SlurmdLogFile=${folder}/slurmd-%n.log`,
    ...nodes.map(node),
    `PartitionName=main Nodes=${nodes.join(',')} Default=YES State=UP LLN=YES`,
    ...lines,
    '',
  ].join('\n');
}

/** @param place from place.js; its folder belongs to `nobody` from here on */
function prepareFolder(place) {
  for (const name of ['state', ...nodes.map((node) => `spool-${node}`)]) {
    mkdirSync(place.path(name));
    chmodSync(place.path(name), 0o700);
  }
  spawnSync('chown', ['-R', 'nobody:nogroup', place.folder]);
}

/** Starts a daemon in its own namespaces. */
function startDaemon(options, host, words) {
  const script = `hostname ${host} && exec ${[...unprivileged, ...words].join(' ')}`;
  const namespaces = ['--uts', '--pid', '--fork', '--mount-proc'];
  return spawn('unshare', [...namespaces, 'sh', '-c', script], { ...options, stdio: 'ignore' });
}

/** All processes of the namespace end with the first one. */
function kill(daemon) {
  const first = firstProcess(daemon);
  if (first !== undefined) process.kill(first, 'SIGKILL');
}

/** Starts the daemons, and waits for the nodes. */
export async function startCluster(place) {
  const configure = (...lines) =>
    writeFileSync(place.path('slurm.conf'), configuration(place.folder, lines));
  configure();
  prepareFolder(place);
  const options = {
    cwd: place.folder,
    env: { ...place.env, SLURM_CONF: place.path('slurm.conf') },
  };
  const run = (words) => spawnSync(words[0], words.slice(1), { ...options, encoding: 'utf8' });
  const controller = startDaemon(options, nodes[0], ['slurmctld', '-D']);
  const daemons = new Map(
    nodes.map((node) => [node, startDaemon(options, node, ['slurmd', '-D', '-N', node])]),
  );
  const command = (...words) => {
    const { status, stdout, stderr } = run([...unprivileged, ...words]);
    if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  const idle = () => run(['sinfo', '--noheader', '--format=%D %T']).stdout;
  await until(() => idle().trim() === `${nodes.length} idle`, idle);
  return {
    nodes,
    configure,
    command,
    /** As a power cut: nothing on the node can clean up. */
    crash: (node) => kill(daemons.get(node)),
    /** The fields of `scontrol show job` of every task. */
    jobs: (id) =>
      command('scontrol', 'show', 'job', id, '--oneliner')
        .split('\n')
        .map((line) => Object.fromEntries(line.split(/\s+/).map((pair) => pair.split('=')))),
    close: () => [controller, ...daemons.values()].forEach(kill),
  };
}
