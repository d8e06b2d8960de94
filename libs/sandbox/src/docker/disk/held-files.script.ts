/** Where the engine's own folder lies for the program, read-only. */
export const ENGINE_INSIDE = '/engine';

/**
 * A program for Node that sees the host's processes: for each line on its input it prints one line of JSON. An empty line
 * asks for a `DiskSight`; `{"dir", "maxBytes"}` for the blocks of all files below a folder of the engine, in bytes: no more
 * than it takes to be beyond `maxBytes`, null where that cannot be said (too many files, or the folder is not there).
 * Of every container (by the 64 hexadecimal digits in a process's control group) it weighs the files that no name leads to
 * any more and that a process of it still has, open in any thread or mapped; and it tells whether the container has files
 * where nobody can see them: sent over a socket that was not read yet (`scm_fds`, proc_pid_fdinfo(5)), registered with
 * io_uring, or among too many to look at. It ends with its input. Nothing of a container's image is run or believed.
 */
export const HELD_FILES = `
const fs = require('node:fs');
// tmpfs, hugetlbfs: counted as memory.
const IN_MEMORY = new Set([0x01021994, 0x958458f6]);
const MOST = 100000;
const MOST_BELOW = 500000;

// Processes end while they are looked at.
const tried = (read, otherwise) => { try { return read(); } catch { return otherwise; } };
const names = (dir) => tried(() => fs.readdirSync(dir), []);
const text = (file) => tried(() => fs.readFileSync(file, 'latin1'), '');

function weigh(found, path, info) {
  found.looked += 1;
  const stat = tried(() => fs.statSync(path, { bigint: true, throwIfNoEntry: false }), undefined);
  if (stat === undefined || stat.isDirectory() || stat.isCharacterDevice() || stat.isFIFO()) return;
  if (!stat.isFile()) {
    found.hides ||= /^(scm_fds|UserFiles):\\s*[1-9]/m.test(text(info));
    return;
  }
  if (stat.nlink > 0n || IN_MEMORY.has(tried(() => fs.statfsSync(path).type, 0))) return;
  // By its number alone: on an overlay an open and a mapped file have other devices.
  found.files.set(stat.ino, Number(stat.blocks) * 512);
}

function lookAt(found, proc) {
  for (const task of names(proc + '/task')) {
    const dir = proc + '/task/' + task;
    for (const fd of names(dir + '/fd')) {
      if (found.looked >= MOST) { found.hides = true; return; }
      weigh(found, dir + '/fd/' + fd, dir + '/fdinfo/' + fd);
    }
  }
  for (const [, from, to] of text(proc + '/maps').matchAll(/^0*([0-9a-f]+)-0*([0-9a-f]+) .* \\(deleted\\)$/gm)) {
    if (found.looked >= MOST) { found.hides = true; return; }
    weigh(found, proc + '/map_files/' + from + '-' + to, '');
  }
}

function look() {
  const containers = new Map();
  for (const pid of names('/proc')) {
    const id = /^[0-9]+$/.test(pid) ? /[0-9a-f]{64}/.exec(text('/proc/' + pid + '/cgroup'))?.[0] : undefined;
    if (id === undefined) continue;
    if (!containers.has(id)) containers.set(id, { files: new Map(), hides: false, looked: 0 });
    lookAt(containers.get(id), '/proc/' + pid);
  }
  const { bavail, bsize } = fs.statfsSync('/');
  const held = {};
  for (const [id, { files, hides }] of containers) {
    held[id] = { bytes: [...files.values()].reduce((sum, bytes) => sum + bytes, 0), hides };
  }
  return { freeBytes: bavail * bsize, held };
}

function blocksBelow({ dir, maxBytes }) {
  const names = (at) => tried(() => fs.readdirSync(at, { encoding: 'buffer' }), null);
  const seen = new Set();
  const dirs = [Buffer.from(dir)];
  if (names(dirs[0]) === null) return null;
  let bytes = 0;
  for (let looked = 0; dirs.length > 0;) {
    const at = dirs.pop();
    for (const name of names(at) ?? []) {
      if ((looked += 1) > MOST_BELOW) return null;
      const path = Buffer.concat([at, Buffer.from('/'), name]);
      const stat = tried(() => fs.lstatSync(path, { bigint: true }), undefined);
      if (stat === undefined || seen.has(stat.ino)) continue;
      if (stat.nlink > 1n && !stat.isDirectory()) seen.add(stat.ino);
      bytes += Number(stat.blocks) * 512;
      if (bytes > maxBytes) return bytes;
      if (stat.isDirectory()) dirs.push(path);
    }
  }
  return bytes;
}

let asked = '';
process.stdin.on('data', (chunk) => {
  const lines = (asked + chunk).split('\\n');
  asked = lines.pop();
  for (const line of lines) {
    const answer = line === '' ? look() : { bytes: blocksBelow(JSON.parse(line)) };
    process.stdout.write(JSON.stringify(answer) + '\\n');
  }
});
process.stdin.on('end', () => process.exit());
`;
