import type { FailureEntries } from './failure-entry';

/** What the operating system, the network and the database say, wherever it is caught. */
export const SYSTEM_CODES = {
  disk_full: {
    blame: ['infra'],
    meaning: 'A disk, of the worker, the engine or the database, is full.',
    operator: 'Free space; workers claim nothing while theirs is short.',
  },
  disk_read_only: {
    blame: ['infra'],
    meaning: 'A file system is mounted read-only.',
    operator: 'Check the disk: systems remount it so after an error.',
  },
  disk_error: {
    blame: ['infra'],
    meaning: 'A disk cannot be read or written.',
    operator: 'Check the disk.',
  },
  out_of_memory: {
    blame: ['infra'],
    meaning: 'The host, or the database, is out of memory.',
    operator: 'Give it more, or run fewer slots.',
  },
  too_many_open_files: {
    blame: ['infra'],
    meaning: 'The process may not open more files.',
    operator: 'Raise its limit of open files.',
  },
  too_many_processes: {
    blame: ['infra'],
    meaning: 'The host starts no more processes.',
    operator: 'Raise the limit of processes, or run fewer slots.',
  },
  permission_denied: {
    blame: ['infra'],
    meaning: 'The process may not do this.',
    operator: 'Check the owner and the mode of the file in the message.',
  },
  file_missing: {
    blame: ['infra'],
    meaning: 'A file of ours is not there.',
    operator: 'Check the path in the message, and the mounts.',
  },
  program_missing: {
    blame: ['infra'],
    meaning: 'A program that is needed is not installed.',
    operator: 'Install the program that the message names.',
  },
  connection_refused: {
    blame: ['infra'],
    meaning: 'Nothing listens where something should.',
    operator: 'Start the service at the address in the message.',
  },
  connection_lost: {
    blame: ['infra'],
    meaning: 'A connection broke.',
    operator: 'Nothing at first; check the network if it comes often.',
  },
  timed_out: {
    blame: ['infra'],
    meaning: 'Something did not answer in time.',
    operator: 'Check the load of the service in the message.',
  },
  name_not_resolved: {
    blame: ['infra'],
    meaning: 'A host name cannot be resolved.',
    operator: 'Check the name in the message, and DNS.',
  },
  network_unreachable: {
    blame: ['infra'],
    meaning: 'There is no way to a host.',
    operator: 'Check the network of the process.',
  },
  port_taken: {
    blame: ['infra'],
    meaning: 'The port is in use by something else.',
    operator: 'Free the port, or configure another.',
  },
  aborted: {
    blame: ['infra'],
    meaning: 'Something was given up on because we stopped it.',
    operator: 'Nothing.',
  },
  too_many_connections: {
    blame: ['infra'],
    meaning: 'The database takes no more connections.',
    operator: 'Raise its limit, or run fewer processes.',
  },
  database_unavailable: {
    blame: ['infra'],
    meaning: 'The database is away or starting.',
    operator: 'Check the health of PostgreSQL.',
  },
  database_conflict: {
    blame: ['infra'],
    meaning: 'Two transactions met, and this one lost.',
    operator: 'Nothing: it is done again.',
  },
  unknown: {
    blame: ['infra'],
    meaning: 'Nobody has told what this is, so it is our fault.',
    operator: 'Read the message and its causes in the details, and report it.',
  },
} as const satisfies FailureEntries;
