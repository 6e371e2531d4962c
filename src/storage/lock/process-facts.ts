/** The process that takes locks, and what it knows about others. */
export interface ProcessFacts {
  readonly id: number;
  /** Whether a process with that id is running on this machine. */
  isRunning(id: number): boolean;
  /** Where its process id is valid. Default: the machine natter runs on; tests simulate others. */
  readonly machine?: Machine;
}

/** Where a process runs. Nothing is read before the first call. */
export interface Machine {
  host(): string;
  /** Undefined where the system does not name it (everything but Linux). */
  space(): ProcessSpace | undefined;
  /** Of a process that is running: see {@link ProcessState}. */
  process(id: number): ProcessState;
}

/** The space in which process ids and start times are unique. */
export interface ProcessSpace {
  /** Names this start of the machine. */
  readonly boot: string;
  /** Names the namespaces of process ids and of time: those of the machine, or of a container. */
  readonly namespace: string;
  /** Whether the processes of this namespace are visible from no other one that may use the same files. */
  readonly isContainer: boolean;
}

export interface ProcessState {
  /** A zombie: it ended, but its parent has not read its status. */
  readonly isDead: boolean;
  /** Start time in a unit of the system; undefined where it is not known. */
  readonly start: string | undefined;
}
